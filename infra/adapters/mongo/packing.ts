/**
 * Packs the parts of documents that no query uses into one JSON text. The cost of a write, for
 * engine and driver, depends on its fields and hardly on its bytes. An insert of 1,000 bytes in one
 * field takes 17 µs, sixty small fields 33 µs. An entry has sixty.
 *
 * 1. Fields that are filtered, sorted, indexed or compared stay separate fields beside the text
 *    (`open`), in the order in which `$max` compares.
 * 2. Fields that never change after their insert are packed, one by one, into one text of the
 *    document.
 */
import type { Document, PlainOptions, PlainWrite } from '../../../shared/ports/store.ts';

/** The text's field, beside the open fields. */
const TEXT = 'json';

type Fields = Readonly<Record<string, unknown>>;
type Projection = NonNullable<PlainOptions['project']>;

interface Packed {
  readonly field: string;
  /** Stay fields of their own. */
  readonly open: readonly string[];
  /** The field is a list, and each of its items is packed. */
  readonly list?: boolean;
}

const COMPLETED = { field: 'completed', open: [] } as const;

/** As the actors' map of collections declares it (`actors/model/collections.ts`). */
export const PACKING = {
  contacts: [COMPLETED],
  deals: [COMPLETED],
  tasks: [COMPLETED],
  entries: [
    { field: 'message', open: ['revision', 'direction', 'status'] },
    { field: 'outbox', open: ['id'], list: true },
  ],
  conversations: [
    {
      field: 'snapshot',
      open: [
        ...['seq', 'epoch', 'orgId', 'channelId', 'contactId', 'status', 'lastMessageAt'],
        ...['assignedTo', 'hasUnread', 'search'],
      ],
    },
  ],
  claims: [{ field: 'claims', open: ['_id'], list: true }],
  deliveries: [
    {
      field: 'state',
      open: ['epoch', 'revision', 'status', 'nextAttemptAt', 'series', 'endedAt', 'position'],
    },
  ],
} as const satisfies Readonly<Record<string, readonly Packed[]>>;

const PACKED: Readonly<Record<string, readonly Packed[]>> = PACKING;

/** Fields that are inserted together as the document's text: no update and no filter names them. */
export const IN_TEXT = {
  entries: ['orgId', 'requestId', 'after'],
} as const;

const IMMUTABLE: Readonly<Record<string, readonly string[]>> = IN_TEXT;

/**
 * A filter, or a page's order, as it is: a packed field cannot be queried, and would silently match
 * nothing.
 * @throws {TypeError} that names the path
 */
export function requireQueryable<T extends Fields>(collection: string, filter: T): T {
  for (const [path, value] of Object.entries(filter)) {
    if (path.startsWith('$') && Array.isArray(value)) {
      for (const each of value) if (isObject(each)) requireQueryable(collection, each);
    } else if (isPacked(collection, path)) {
      throw new TypeError(`${path} of ${collection} is packed: no filter can name it`);
    }
  }
  return filter;
}

function isPacked(collection: string, path: string): boolean {
  const [field = '', part] = path.split('.');
  if (IMMUTABLE[collection]?.includes(field)) return true;
  const place = PACKED[collection]?.find((each) => each.field === field);
  return place !== undefined && part !== undefined && !place.open.includes(part);
}

/** A write as the engine gets it. */
export function packedWrite(write: PlainWrite): PlainWrite {
  if ('remove' in write) return write;
  if ('insert' in write) return { ...write, document: packed(write.insert, write.document) };
  const places = PACKED[write.update];
  if (!places || isList(write.change)) return write;
  const change = Object.entries(write.change).map(([operator, fields]) => [
    operator,
    isObject(fields) ? packedIn(fields, places) : fields,
  ]);
  return { ...write, change: Object.fromEntries(change) };
}

/** A document as the engine gets it. */
export function packed<T extends Document>(collection: string, document: T): T {
  const inText = IMMUTABLE[collection];
  const fields = asFields(document);
  const together = inText ? withText(fields, inText) : fields;
  const places = PACKED[collection];
  return asDocument<T>(places ? packedIn(together, places) : together);
}

/** The stored fields that `unpacked` needs for a projection. */
export function packedProjection(collection: string, project: Projection): Projection {
  const inText = IMMUTABLE[collection]?.some((name) => name in project) ?? false;
  return inText ? { ...project, [TEXT]: 1 } : project;
}

/**
 * A document as it was written.
 * @param project the requested fields; without it, all
 */
export function unpacked<T extends Document>(
  collection: string,
  document: T,
  project?: Projection,
): T {
  const places = PACKED[collection];
  if (!places) return document;
  const whole: Record<string, unknown> = IMMUTABLE[collection]
    ? withoutText(asFields(document), project)
    : { ...asFields(document) };
  for (const { field, list } of places) {
    const value = whole[field];
    if (value === undefined) continue;
    whole[field] = list && isList(value) ? value.map(unpack) : unpack(value);
  }
  return asDocument<T>(whole);
}

/** Any document: its fields have names. */
function asFields(document: object): Fields {
  return document as Fields;
}

function asDocument<T>(fields: object): T {
  return fields as T;
}

function withText(document: Fields, inText: readonly string[]): Fields {
  const open: Record<string, unknown> = {};
  const text: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(document)) {
    (inText.includes(name) ? text : open)[name] = value;
  }
  open[TEXT] = JSON.stringify(text);
  return open;
}

function withoutText(
  { [TEXT]: text, ...rest }: Fields,
  project?: Projection,
): Record<string, unknown> {
  if (typeof text !== 'string') return rest;
  const fields: Fields = JSON.parse(text);
  if (!project) return { ...rest, ...fields };
  const asked = Object.entries(fields).filter(([name]) => name in project);
  return { ...rest, ...Object.fromEntries(asked) };
}

function packedIn(fields: Fields, places: readonly Packed[]): Fields {
  let copy: Record<string, unknown> | null = null;
  for (const { field, open, list } of places) {
    const value = fields[field];
    if (!isObject(value)) continue;
    copy ??= { ...fields };
    copy[field] = list ? packedList(value, open) : pack(value, open);
  }
  return copy ?? fields;
}

/** A list, or the items pushed to it: `{ $each: […] }`. */
function packedList(value: Fields, open: readonly string[]): unknown {
  const each = (item: unknown) => (isObject(item) ? pack(item, open) : item);
  if (isList(value)) return value.map(each);
  const { $each: items } = value;
  return Array.isArray(items) ? { ...value, $each: items.map(each) } : value;
}

function pack(value: Fields, open: readonly string[]): Fields {
  const packed: Record<string, unknown> = {};
  for (const name of open) if (value[name] !== undefined) packed[name] = value[name];
  packed[TEXT] = JSON.stringify(value);
  return packed;
}

function unpack(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { [TEXT]: text, ...open } = value;
  // The open fields may have changed without the text.
  return typeof text === 'string' ? { ...JSON.parse(text), ...open } : value;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
