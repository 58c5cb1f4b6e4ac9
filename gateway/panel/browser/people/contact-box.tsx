/**
 * A contact that is found by name or printed phone, or a phone that is written: the combobox of the
 * ARIA pattern, with its list beneath it.
 */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Contact } from '../../../../shared/api/contact.ts';
import { query } from '../base/call.ts';
import { isolated } from '../base/isolated.tsx';
import { Option, useActive } from '../base/option.tsx';
import { useRead } from '../base/use-read.ts';
import { useFocusIfWrong, WrongValue, wrongValueOf } from '../base/wrong-value.tsx';
import { after } from '../clock.ts';
import { phoneOf } from '../format.ts';
import { TEXT } from '../sentences.ts';

const { recipient: words } = TEXT;
const SHOWN_MAX = 6;
const SEARCH_PAUSE_MS = 200;
/** Digits as people write them. The server has the last word. */
const PHONE_LIKE = /^[+(\d][\d\s().\-/]{7,}$/;

export type Found = Pick<Contact, 'id' | 'name' | 'phone'>;

export interface Recipient {
  readonly text: string;
  readonly contact: Found | null;
}

export const NOBODY: Recipient = { text: '', contact: null };

/** A known contact as the box shows it. */
export function recipientFrom(contact: Found): Recipient {
  return { text: contact.name ?? phoneOf(contact.phone), contact };
}

/** Phone and name of who is meant; null: nobody is. */
export function recipientOf({
  text,
  contact,
}: Recipient): { readonly phone: string; readonly name: string } | null {
  if (contact) return { phone: `+${contact.phone}`, name: contact.name ?? phoneOf(contact.phone) };
  const written = text.trim();
  return PHONE_LIKE.test(written) ? { phone: written, name: written } : null;
}

interface ContactBoxProps {
  readonly recipient: Recipient;
  readonly onRecipient: (recipient: Recipient) => void;
  /** What is wrong with the recipient. */
  readonly error: string | undefined;
}

export function ContactBox({ recipient, onRecipient, error }: ContactBoxProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useFocusIfWrong(input, error);
  const [closed, setClosed] = useState(false);
  const found = useFound(recipient);
  const options = closed ? [] : found;
  const { active, reach } = useActive(options, -1);
  const isOpen = options.length > 0;
  const choose = (contact: Found | undefined) => {
    if (!contact) return;
    onRecipient(recipientFrom(contact));
    reach(-1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) reach(stepped(active, step, options.length));
    else if (event.key === 'Enter' && active >= 0) choose(options[active]);
    else if (event.key === 'Escape') setClosed(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="field">
      <label for={id}>{words.label}</label>
      <input
        id={id}
        class="input"
        type="text"
        role="combobox"
        autocomplete="off"
        required
        placeholder={words.hint}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-activedescendant={isOpen && active >= 0 ? `${id}-${active}` : undefined}
        {...wrongValueOf({ id, error })}
        value={recipient.text}
        ref={input}
        onInput={({ currentTarget }) => {
          onRecipient({ text: currentTarget.value, contact: null });
          reach(-1);
          setClosed(false);
        }}
        onKeyDown={onKeyDown}
      />
      <WrongValue id={id} label={words.label} error={error} />
      {isOpen ? <Options {...{ id, options, active }} onChosen={choose} /> : null}
    </div>
  );
}

/** From -1, which is the text itself, round and round. */
function stepped(active: number, step: number, count: number): number {
  const next = active + step;
  if (next >= count) return 0;
  return next < 0 ? count - 1 : next;
}

interface OptionsProps {
  readonly id: string;
  readonly options: readonly Found[];
  readonly active: number;
  readonly onChosen: (contact: Found) => void;
}

function Options({ id, options, active, onChosen }: OptionsProps) {
  return (
    <div class="options" role="listbox" id={`${id}-list`} aria-label={words.options}>
      {options.map((contact, index) => (
        <Option
          key={contact.id}
          id={`${id}-${index}`}
          active={index === active}
          onChosen={() => onChosen(contact)}
        >
          <span class="cut strong">{isolated(contact.name ?? TEXT.contact.nameless)}</span>{' '}
          <span class="soft small">{phoneOf(contact.phone)}</span>
        </Option>
      ))}
    </div>
  );
}

/** Nobody is searched once somebody is chosen. */
function useFound({ text, contact }: Recipient): readonly Found[] {
  const [wanted, setWanted] = useState('');
  const asked = contact === null ? text.trim() : '';
  useEffect(() => after(SEARCH_PAUSE_MS, () => setWanted(asked)), [asked]);
  const isCurrent = asked !== '' && wanted === asked;
  const path = isCurrent
    ? `/api/v1/contacts${query({ query: wanted, page: 1, limit: SHOWN_MAX })}`
    : null;
  const { body } = useRead<{ readonly data: readonly Contact[] }>(path, { kinds: ['contact'] });
  return isCurrent ? (body?.data ?? []) : [];
}
