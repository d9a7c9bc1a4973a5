import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { texts } from '../texts';
import styles from './output-frame.module.css';

/** The gateway's empty document for mails that have no address of their own. */
const EMPTY_DOCUMENT = '/console/frame';

interface OutputFrameProps {
  /** Where the mail is; or `html`, the mail itself. */
  address?: string;
  html?: string;
  withImages: boolean;
}

/**
 * A rendered mail: without scripts, in a document of its own whose policy lets it ask no host. A mail without address is written into
 * such a document, so only then may the page reach it.
 */
export function OutputFrame({ address, html, withImages }: OutputFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const source = address ?? EMPTY_DOCUMENT;
  const write = () => {
    if (html !== undefined) writeMail(frame.current?.contentDocument, html);
  };
  useEffect(write, [html]);
  return (
    <>
      <iframe
        ref={frame}
        title={texts.output.frame}
        className={styles.frame}
        sandbox={html === undefined ? '' : 'allow-same-origin'}
        referrerPolicy="no-referrer"
        src={withImages ? `${source}?images=remote` : source}
        onLoad={write}
      />
      {!withImages && (
        <p className="quiet">
          {texts.output.remoteHint}{' '}
          <Link to="." replace resetScroll={false} search={(search: object) => ({ ...search, images: 'remote' })}>
            {texts.output.remote}
          </Link>
        </p>
      )}
    </>
  );
}

/** Only into the gateway's document: any other has another policy, as the one that a frame has before its load. */
function writeMail(page: Document | null | undefined, html: string) {
  if (page?.location.pathname !== EMPTY_DOCUMENT) return;
  const root = page.documentElement;
  root.innerHTML = html;
  for (const name of ['lang', 'dir']) {
    const value = new RegExp(`<html[^>]*\\s${name}="([\\w-]+)"`).exec(html)?.[1];
    if (value === undefined) root.removeAttribute(name);
    else root.setAttribute(name, value);
  }
}
