import { useEffect, useRef } from 'react';
import { texts } from '../texts';

let lastTitle: string | undefined;

/** The `h1` of a page, and the title of the document. It gets the focus when one page follows another. */
export function Heading({ title }: { title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = texts.shell.titled(title);
    if (lastTitle !== undefined && lastTitle !== title) heading.current?.focus({ preventScroll: true });
    lastTitle = title;
  }, [title]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {title}
    </h1>
  );
}
