/**
 * Messages of the Cloud API at the limits of its documentation, and beyond them: what is taken, and
 * with which code the rest is refused.
 */
import type { JsonRecord } from '../../../../../../../infra/adapters/network/webhook-body.ts';

/** A message, and undefined where it is taken, else the code of its refusal. */
export type MessageCase = readonly [what: string, message: JsonRecord, code?: number];

export const long = (length: number) => 'x'.repeat(length);

const text = (body: unknown, more: object = {}) => ({ type: 'text', text: { body }, ...more });
const TEXTS: readonly MessageCase[] = [
  ['4096 characters', text(long(4_096))],
  ['4096 emoji', text('😀'.repeat(4_096))],
  ['4097 characters', text(long(4_097)), 100],
  ['an empty text', text(''), 131008],
  ['a number as text', text(5), 100],
  ['a preview', { type: 'text', text: { body: 'a', preview_url: true } }],
  ['a preview that is no boolean', { type: 'text', text: { body: 'a', preview_url: 'yes' } }, 100],
  ['a property of the text that does not exist', { text: { body: 'a', bold: true } }, 100],
  ['a property of the request that does not exist', text('a', { priority: 'high' }), 100],
  ['an object of another type', text('a', { image: { id: '1' } }), 100],
  ['a type that does not exist', { type: 'hologram', hologram: {} }, 131009],
  ['no object of the type', { type: 'location' }, 131008],
  ['a group', text('a', { recipient_type: 'group' }), 131009],
  ['a quote', text('a', { context: { message_id: 'wamid.1' } })],
  ['a quote without its id', text('a', { context: {} }), 131008],
  ['a quote with more', text('a', { context: { message_id: 'a', from: 'b' } }), 100],
  ['512 characters of callback data', text('a', { biz_opaque_callback_data: long(512) })],
  ['513 characters of callback data', text('a', { biz_opaque_callback_data: long(513) }), 100],
  ['callback data of another type', text('a', { biz_opaque_callback_data: {} }), 100],
];

const media = (kind: string, object: object) => ({ type: kind, [kind]: object });
const link = 'https://example.com/a';
const MEDIA: readonly MessageCase[] = [
  ...(['image', 'video', 'document'] as const).flatMap((kind): MessageCase[] => [
    [`${kind}: 1024 characters of caption`, media(kind, { link, caption: long(1_024) })],
    [`${kind}: 1025 characters of caption`, media(kind, { link, caption: long(1_025) }), 100],
  ]),
  ...['image', 'video', 'document', 'audio', 'sticker'].flatMap((kind): MessageCase[] => [
    [`${kind}: a link`, media(kind, { link })],
    [`${kind}: neither id nor link`, media(kind, {}), 131008],
    [`${kind}: both id and link`, media(kind, { id: '1', link }), 131008],
    [`${kind}: another protocol`, media(kind, { link: 'ftp://example.com' }), 131009],
    [`${kind}: an unknown upload`, media(kind, { id: '404' }), 131009],
    [`${kind}: an unknown property`, media(kind, { link, size: 1 }), 100],
  ]),
  ['audio: a caption', media('audio', { link, caption: 'a' }), 100],
  ['audio: a voice message', media('audio', { link, voice: true })],
  ['sticker: a caption', media('sticker', { link, caption: 'a' }), 100],
  ['document: a name', media('document', { link, filename: 'a.pdf' })],
  ['image: a name', media('image', { link, filename: 'a.png' }), 100],
];

const interactive = (object: object) => ({ type: 'interactive', interactive: object });
const body = { text: 'Escolha' };
const reply = (id: string, title: string = id) => ({ type: 'reply', reply: { id, title } });
const buttons = (list: readonly object[], more: object = {}) =>
  interactive({ type: 'button', body, action: { buttons: list }, ...more });
const three = [reply('a'), reply('b'), reply('c')];
const headed = (kind: string, object: object = { link }) => ({ header: media(kind, object) });
const BUTTONS: readonly MessageCase[] = [
  ['three buttons', buttons(three)],
  ['four buttons', buttons([...three, reply('d')]), 131009],
  ['no button', buttons([]), 131009],
  ['a title of 20', buttons([reply('a', long(20))])],
  ['a title of 21', buttons([reply('a', long(21))]), 131009],
  ['an empty title', buttons([reply('a', '')]), 131008],
  ['an id of 256', buttons([reply(long(256), 'a')])],
  ['an id of 257', buttons([reply(long(257), 'a')]), 131009],
  ['an id with a space at its end', buttons([reply('a ', 'a')]), 131009],
  ['an id twice', buttons([reply('a', 'a'), reply('a', 'b')]), 131009],
  ['a title twice', buttons([reply('a', 'x'), reply('b', 'x')]), 131009],
  ['a button of another type', buttons([{ type: 'url', reply: { id: 'a', title: 'a' } }]), 131009],
  ['a button with more', buttons([{ ...reply('a'), color: 'red' }]), 100],
  ['a body of 1024', buttons(three, { body: { text: long(1_024) } })],
  ['a body of 1025', buttons(three, { body: { text: long(1_025) } }), 131009],
  ['no body', buttons(three, { body: undefined }), 131008],
  ['a footer of 60', buttons(three, { footer: { text: long(60) } })],
  ['a footer of 61', buttons(three, { footer: { text: long(61) } }), 131009],
  ['a header of 60', buttons(three, { header: { type: 'text', text: long(60) } })],
  ['a header of 61', buttons(three, { header: { type: 'text', text: long(61) } }), 131009],
  ['an image as header', buttons(three, headed('image'))],
  ['a video as header', buttons(three, headed('video'))],
  ['a document as header', buttons(three, headed('document', { link, filename: 'a.pdf' }))],
  ['a caption in a header', buttons(three, headed('image', { link, caption: 'a' })), 100],
  ['a sticker as header', buttons(three, headed('sticker')), 131009],
  ['a type that is not simulated', interactive({ type: 'flow', body, action: {} }), 131009],
];

const row = (id: string, more: object = {}) => ({ id, title: 'a', ...more });
const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_unused, at) => row(`r${from + at}`));
/** As many sections as there are counts of rows. */
const sections = (...counts: readonly number[]) =>
  counts.map((count, at) => ({ title: 'a', rows: rows(at * 5, count) }));
const list = (within: readonly object[], more: object = {}, button = 'Abrir') =>
  interactive({ type: 'list', body, action: { button, sections: within }, ...more });
const one = (given: object) => list([{ rows: [given] }]);
const LISTS: readonly MessageCase[] = [
  ['ten rows', list([{ rows: rows(0, 10) }])],
  ['eleven rows', list([{ rows: rows(0, 11) }]), 131009],
  ['ten rows in two sections', list(sections(5, 5))],
  ['eleven rows in two sections', list(sections(5, 6)), 131009],
  ['ten sections', list(sections(...Array(10).fill(1)))],
  ['eleven sections', list(sections(...Array(11).fill(1))), 131009],
  ['no section', list([]), 131009],
  ['a section without rows', list([{ title: 'a', rows: [] }]), 131009],
  ['one section without a title', list([{ rows: rows(0, 1) }])],
  ['two sections, one without a title', list([...sections(1), { rows: rows(1, 1) }]), 131008],
  ['a title of a section of 24', list([{ title: long(24), rows: rows(0, 1) }])],
  ['a title of a section of 25', list([{ title: long(25), rows: rows(0, 1) }]), 131009],
  ['an id of a row of 200', one(row(long(200)))],
  ['an id of a row of 201', one(row(long(201))), 131009],
  ['an id of a row twice', list([{ rows: [row('a'), row('a')] }]), 131009],
  ['a title of a row of 24', one(row('a', { title: long(24) }))],
  ['a title of a row of 25', one(row('a', { title: long(25) })), 131009],
  ['a description of 72', one(row('a', { description: long(72) }))],
  ['a description of 73', one(row('a', { description: long(73) })), 131009],
  ['a row with more', one(row('a', { image: 'b' })), 100],
  ['a body of 4096', list([{ rows: rows(0, 1) }], { body: { text: long(4_096) } })],
  ['a body of 4097', list([{ rows: rows(0, 1) }], { body: { text: long(4_097) } }), 131009],
  ['an image as header', list([{ rows: rows(0, 1) }], headed('image')), 131009],
  ['a label of 20', list([{ rows: rows(0, 1) }], {}, long(20))],
  ['a label of 21', list([{ rows: rows(0, 1) }], {}, long(21)), 131009],
];

const cta = (parameters: object, more: object = {}) =>
  interactive({ type: 'cta_url', body, action: { name: 'cta_url', parameters }, ...more });
const ADDRESSES: readonly MessageCase[] = [
  ['a button with an address', cta({ display_text: 'Abrir', url: link })],
  ['a label of 20', cta({ display_text: long(20), url: link })],
  ['a label of 21', cta({ display_text: long(21), url: link }), 131009],
  ['no address', cta({ display_text: 'a' }), 131008],
  ['an address of another protocol', cta({ display_text: 'a', url: 'tel:55' }), 131009],
  ['an image as header', cta({ display_text: 'a', url: link }, headed('image'))],
  ['another name', cta({}, { action: { name: 'flow', parameters: {} } }), 131009],
];

const contact = (name: object, more: object = {}) => {
  return { type: 'contacts', contacts: [{ name, ...more }] };
};
const named = { formatted_name: 'Ana Lima', first_name: 'Ana' };
const place = (latitude: unknown, longitude: unknown, more: object = {}) => {
  return { type: 'location', location: { latitude, longitude, ...more } };
};
const contacts = (count: number) => {
  return { type: 'contacts', contacts: Array(count).fill({ name: named }) };
};
const reaction = (emoji?: string, message_id: string | null = 'wamid.1') => {
  const to = message_id === null ? {} : { message_id };
  return { type: 'reaction', reaction: { ...to, ...(emoji === undefined ? {} : { emoji }) } };
};
const SHARED: readonly MessageCase[] = [
  ['a place at the limits', place(90, -180)],
  ['a place as texts', place('-23.5', '-46.6', { name: 'Loja', address: 'Rua A, 1' })],
  ['a latitude beyond 90', place(90.1, 0), 131009],
  ['a longitude beyond -180', place(0, -180.1), 131009],
  ['a latitude that is no number', place('north', 0), 131009],
  ['a place without a longitude', place(1, undefined), 131008],
  ['a place with more', place(1, 1, { zoom: 3 }), 100],
  ['a reaction', reaction('👍🏽')],
  ['a flag as reaction', reaction('🇧🇷')],
  ['a reaction taken back', reaction('')],
  ['two emoji', reaction('👍👍'), 131009],
  ['a letter as reaction', reaction('a'), 131009],
  ['a reaction to nothing', reaction('👍', null), 131008],
  ['a reaction without its emoji', reaction(undefined), 131008],
  ['a contact', contact(named, { phones: [{ phone: '+55 11 98765-4321', type: 'CELL' }] })],
  ['a contact with the full name alone', contact({ formatted_name: 'Ana' }), 131008],
  ['a contact without the full name', contact({ first_name: 'Ana' }), 131008],
  ['five contacts', contacts(5)],
  ['six contacts', contacts(6), 131009],
  ['no contact', contacts(0), 131009],
  ['a birthday that is no day', contact(named, { birthday: '1/2/1990' }), 131009],
  ['a contact with more', contact(named, { photo: 'a' }), 100],
];

export const MESSAGE_CASES: Readonly<Record<string, readonly MessageCase[]>> = {
  texts: TEXTS,
  media: MEDIA,
  buttons: BUTTONS,
  lists: LISTS,
  addresses: ADDRESSES,
  shared: SHARED,
};
