/**
 * Contact cards as vCard 3.0 (RFC 2426), which the bridge sends and reports. `waid` names the chat
 * that the card opens (WAHA, Send contact).
 */
import type { ContactCard } from '../../../../shared/message-content.ts';

const NAME = /^FN(?:;[^:]*)?:(.+)$/im;
const ORGANIZATION = /^(?:item\d+\.)?ORG(?:;[^:]*)?:(.+)$/im;
const EMAIL = /^(?:item\d+\.)?EMAIL(?:;[^:]*)?:(.+)$/im;
const PHONES = /^(?:item\d+\.)?TEL(?:;[^:]*)?:(.+)$/gim;
/** A number without its country would name someone else's chat. */
const WHOLE_NUMBER = /^(?:\+\d{8,15}|\d{12,15})$/;

/** The form needs a name, and blanks are none. */
const UNNAMED = 'Contato';

export function vcardOf({ name, phones, email, organization }: ContactCard): string {
  const shown = [name, ...phones].map((text) => text.trim()).find((text) => text !== '');
  const titled = escaped(shown ?? UNNAMED);
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${titled};;;`,
    `FN:${titled}`,
    ...(organization === undefined ? [] : [`ORG:${escaped(organization)}`]),
    ...phones.map(phoneLine),
    ...(email === undefined ? [] : [`EMAIL;type=WORK:${escaped(email)}`]),
    'END:VCARD',
  ].join('\n');
}

function phoneLine(phone: string): string {
  const written = phone.replace(/[\s().-]/g, '');
  const chat = WHOLE_NUMBER.test(written) ? `;waid=${written.replace('+', '')}` : '';
  return `TEL;type=CELL;type=VOICE${chat}:${escaped(phone)}`;
}

/** Null for a text that shows neither a name nor a number. */
export function cardOf(vcard: string): ContactCard | null {
  // A long line continues after a space.
  const text = vcard.replace(/\r?\n[ \t]/g, '');
  const name = valueIn(NAME, text) ?? '';
  const phones = [...text.matchAll(PHONES)].map(([, phone = '']) => unescaped(phone.trim()));
  const email = valueIn(EMAIL, text);
  // Units of the organization follow its name.
  const organization = valueIn(ORGANIZATION, text)?.replace(/;.*$/, '');
  if (name === '' && phones.length === 0) return null;
  return {
    name,
    phones: phones.filter((phone) => phone !== ''),
    ...(email ? { email } : {}),
    ...(organization ? { organization } : {}),
  };
}

function valueIn(line: RegExp, text: string): string | undefined {
  const [, value] = line.exec(text) ?? [];
  return value === undefined ? undefined : unescaped(value.trim());
}

function escaped(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replace(/\r?\n|\r/g, '\\n');
}

function unescaped(text: string): string {
  return text.replace(/\\([\\;,nN])/g, (_, char: string) => (/n/i.test(char) ? ' ' : char));
}
