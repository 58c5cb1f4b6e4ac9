/** Text of others whose addresses, e-mails and phones are links. */
import type { ComponentChildren } from 'preact';
import { partsOf } from './links.ts';

export function Linked({ text }: { readonly text: string }) {
  return (
    <>
      {partsOf(text).map(({ text: shown, href }) =>
        href === undefined ? shown : <OuterLink href={href}>{shown}</OuterLink>,
      )}
    </>
  );
}

interface OuterLinkProps {
  readonly href: string;
  readonly children: ComponentChildren;
}

/** In a new tab, which learns nothing of this page and cannot reach it. */
export function OuterLink({ href, children }: OuterLinkProps) {
  return (
    <a class="outer" href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
