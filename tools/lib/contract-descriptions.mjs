import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const sources = path.join(root, 'libs/contracts/src');

/** The file from which a running process takes the descriptions for its documents. */
export const DESCRIPTIONS_FILE = path.join(root, 'libs/contracts/descriptions.json');
/** Decorators for fields of any meaning: their docstrings describe no field. */
const GENERAL_DECORATORS = path.join(sources, 'core/fields.ts');
const NOT_SHIPPED = /\.(?:spec|e2e|fixture|contract)\.ts$/;

/**
 * The docstrings of the contracts, as the text of `DESCRIPTIONS_FILE`: of the properties of each class, and of each operation by its pattern.
 * `@example` is followed by a value as JSON. A class whose properties are not declared in its body names them in its own docstring:
 * `@property items The brands, by id.` A property without a docstring has that of its decorator (`@TenantId tenant_id`).
 * Throws if two described classes have one name, or if an example is no JSON.
 */
export function contractDescriptions() {
  const files = readdirSync(sources, { recursive: true })
    .filter((file) => file.endsWith('.ts') && !NOT_SHIPPED.test(file))
    .sort()
    .map((file) => path.join(sources, file))
    .map((file) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true));
  const decorators = new DecoratorDescriptions(files.filter(({ fileName }) => fileName !== GENERAL_DECORATORS));
  const classes = {};
  const operations = {};
  const visit = (node) => {
    if (ts.isClassDeclaration(node) && node.name) addClass(classes, node, decorators);
    if (ts.isCallExpression(node) && node.expression.getText() === 'defineOperations') addOperations(operations, node);
    ts.forEachChild(node, visit);
  };
  files.forEach(visit);
  return `{\n"classes": ${linesOf(sorted(classes), 2)},\n"operations": ${linesOf(sorted(operations), 1)}\n}\n`;
}

/** The docstrings of constants that are decorators of properties. */
class DecoratorDescriptions {
  /** By file and name. */
  #constants = new Map();
  /** By name. */
  #exported = new Map();

  constructor(files) {
    for (const file of files) {
      for (const statement of file.statements.filter(ts.isVariableStatement)) {
        const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
        for (const declaration of statement.declarationList.declarations) {
          const name = declaration.name.getText();
          const constant = { documented: documented(statement), value: declaration.initializer };
          this.#constants.set(`${file.fileName} ${name}`, constant);
          if (isExported) this.#exported.set(name, constant);
        }
      }
    }
  }

  /** The description by the first decorator that has one. */
  of(property) {
    const found = (ts.getDecorators(property) ?? []).map(({ expression }) => this.#ofExpression(expression));
    return found.find((description) => description !== undefined);
  }

  /** The description of a constant, or of the one that it makes optional. */
  #ofExpression(expression) {
    if (expression && ts.isCallExpression(expression) && expression.expression.getText() === 'Optional')
      return this.#ofExpression(expression.arguments[0]);
    if (!expression || !ts.isIdentifier(expression)) return undefined;
    const constant =
      this.#constants.get(`${expression.getSourceFile().fileName} ${expression.text}`) ?? this.#exported.get(expression.text);
    return constant && (constant.documented ?? this.#ofExpression(constant.value));
  }
}

function addClass(classes, node, decorators) {
  const named = [
    ...propertyTags(node),
    ...node.members.filter(ts.isPropertyDeclaration).map((property) => described(property, decorators)),
  ];
  const properties = Object.fromEntries(named.filter(([, found]) => found !== undefined));
  if (Object.keys(properties).length === 0) return;
  const { text: name } = node.name;
  if (classes[name]) throw new Error(`Two described classes are named ${name}: descriptions need a name for each`);
  classes[name] = properties;
}

const described = (property, decorators) => [property.name.getText(), documented(property) ?? decorators.of(property)];

/** `@property <name> <description>` in the docstring of a class; an `@example` belongs to the property before it. */
function propertyTags(node) {
  const found = [];
  for (const tag of ts.getJSDocTags(node)) {
    const text = textOf(tag.comment);
    const [, name, description] = /^(\w+) (.*)$/.exec(text) ?? [];
    if (tag.tagName.text === 'property' && name) found.push([name, { description }]);
    else if (tag.tagName.text === 'example' && found.length > 0) found.at(-1)[1].example = parsed(text, node);
  }
  return found;
}

/** The operations of `defineOperations('service.resource', scope, { name: { … } })`. */
function addOperations(operations, { arguments: [resource, , definitions] }) {
  if (!resource || !ts.isStringLiteral(resource) || !definitions || !ts.isObjectLiteralExpression(definitions)) return;
  for (const definition of definitions.properties) {
    const found = documented(definition);
    if (found) operations[patternOf(resource.text, definition)] = found;
  }
}

function patternOf(resource, { name, initializer }) {
  const own = initializer.properties.find((property) => property.name?.getText() === 'pattern');
  return own ? own.initializer.text : `${resource}.${name.text}`;
}

/** The docstring of a declaration: its sentences in one line, and the value of its `@example`. */
function documented(node) {
  const comment = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc);
  const description = textOf(comment?.comment);
  if (!description) return undefined;
  const example = comment.tags?.find(({ tagName }) => tagName.text === 'example');
  return { description, ...(example && { example: parsed(textOf(example.comment), node) }) };
}

function textOf(comment) {
  return (ts.getTextOfJSDocComment(comment) ?? '').replace(/\s*\n\s*/g, ' ').trim();
}

function parsed(example, node) {
  try {
    return JSON.parse(example);
  } catch {
    throw new Error(
      `${path.relative(root, node.getSourceFile().fileName)}: the @example of ${node.name?.getText()} is no JSON: ${example}`,
    );
  }
}

/** JSON with a line for each property and each operation, so that changes of several can be merged. */
function linesOf(value, depth) {
  if (depth === 0) return JSON.stringify(value);
  const lines = Object.entries(value).map(([name, within]) => `${JSON.stringify(name)}: ${linesOf(within, depth - 1)}`);
  return `{\n${lines.join(',\n')}\n}`;
}

function sorted(byName) {
  return Object.fromEntries(Object.entries(byName).sort(([one], [other]) => (one < other ? -1 : 1)));
}
