import { useEffect, useId, useRef } from 'react';
import { audiences as words } from '../screen-texts/audiences';
import { Action } from '../ui/action';
import { Select } from '../ui/select';
import styles from './audiences.module.css';
import { ConditionFields } from './condition-fields';
import { type FilterGroup, type FilterNode, GROUP_DEPTH_MAX, isGroup, NEW_CONDITION, NEW_GROUP } from './filter-tree';

const LOGICS = Object.entries(words.logics);

interface NodeProps<Node> {
  node: Node;
  /** Where it stands, `1.2` being the second of the first group; the outermost group has none. */
  position: string;
  onChange: (node: Node) => void;
  onRemove?: () => void;
}

/** A group: how its conditions and groups are combined, and these. Its members may be groups again, up to a depth. */
export function GroupFields({ node: group, position, depth = 1, onChange, onRemove }: NodeProps<FilterGroup> & { depth?: number }) {
  const { operator, filters } = group;
  const name = position === '' ? words.tabs.filter : words.group(position);
  const labelId = useId();
  const { list, adder, onAdd } = useFocus(filters.length);
  const set = (members: readonly FilterNode[]) => onChange({ ...group, filters: members });
  const add = (node: FilterNode) => {
    onAdd();
    set([...filters, node]);
  };
  return (
    <div role="group" aria-labelledby={labelId} className={styles.group}>
      <div className={styles.head}>
        <strong id={labelId}>{name}</strong>
        <Select label={words.logic} value={operator} options={LOGICS} onChange={(logic) => onChange({ ...group, operator: logic })} />
        {onRemove && <Action name={words.removePart} label={words.removePartOf(name)} onPress={onRemove} />}
      </div>
      <ul ref={list} className={styles.members}>
        {filters.map((node, index) => {
          const at = position === '' ? String(index + 1) : `${position}.${index + 1}`;
          const change = (changed: FilterNode) => set(filters.map((one, other) => (other === index ? changed : one)));
          const remove = () => {
            adder.current?.focus();
            set(filters.filter((_, other) => other !== index));
          };
          return (
            <li key={index}>
              {isGroup(node) ? (
                <GroupFields node={node} position={at} depth={depth + 1} onChange={change} onRemove={remove} />
              ) : (
                <ConditionFields condition={node} name={words.condition(at)} onChange={change} onRemove={remove} />
              )}
            </li>
          );
        })}
      </ul>
      <div className={styles.head}>
        <button ref={adder} type="button" onClick={() => add(NEW_CONDITION)}>
          {words.addCondition}
        </button>
        <Action name={words.addGroup} isOff={depth >= GROUP_DEPTH_MAX} onPress={() => add(NEW_GROUP)} />
      </div>
    </div>
  );
}

/** What is added gets the focus; after a removal the button that adds has it. */
function useFocus(count: number) {
  const list = useRef<HTMLUListElement>(null);
  const adder = useRef<HTMLButtonElement>(null);
  const isAdding = useRef(false);
  useEffect(() => {
    if (isAdding.current) list.current?.querySelector<HTMLElement>(':scope > li:last-child input')?.focus();
    isAdding.current = false;
  }, [count]);
  return { list, adder, onAdd: () => (isAdding.current = true) };
}
