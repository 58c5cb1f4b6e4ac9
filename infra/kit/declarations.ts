/** The package's `index.d.ts`: records, events, and the methods of the client. */
import { type Operation, operationsOf } from './operations.ts';
import { comment, isObject, type Schema, typeOf } from './schema-types.ts';

const HEAD = `import type {
  CallOptions,
  ClientOptions,
  EventStream,
  EventsOptions,
  FileInput,
  HeadersLike,
  VerifyOptions,
} from './runtime.js';

export * from './runtime.js';
`;

const TAIL = `
/** An event, as a delivery's body has it. */
export type WebhookEvent = {
  [Name in keyof Events]: { readonly event: Name; readonly data: Events[Name] };
}[keyof Events];

export type EventName = keyof Events;

/** An event of a stream. */
export type StreamEvent = WebhookEvent & {
  /** The delivery's id, the same in each repeat. */
  readonly id: string;
  /** The bytes that a POST would carry. */
  readonly body: string;
};

/** A client of one service under one key. */
export declare function createClient(options: ClientOptions): Client;

/**
 * Verifies a request of the service's, and parses its event.
 * @param secret the subscription's; several while it is being replaced
 * @param body the bytes as they came, before any parser
 * @throws SignatureRefused
 */
export declare function verify(
  secret: string | readonly string[],
  headers: HeadersLike,
  body: string | Uint8Array,
  options?: VerifyOptions,
): WebhookEvent;
`;

/** @throws for a document that it does not understand */
export function declarationsOf(document: Schema): string {
  return [HEAD, schemasOf(document), eventsOf(document), clientOf(document), TAIL].join('\n');
}

function schemasOf({ components }: Schema): string {
  const schemas = isObject(components) ? components.schemas : null;
  if (!isObject(schemas)) throw new Error('the document has no schemas');
  return Object.entries(schemas)
    .filter(([, schema]) => isObject(schema))
    .map(([name, schema]) => {
      const type = typeOf(schema as Schema);
      return `export type ${name === 'Error' ? 'Refusal' : name} = ${type};\n`;
    })
    .join('\n');
}

function eventsOf({ webhooks }: Schema): string {
  if (!isObject(webhooks)) throw new Error('the document has no webhooks');
  const members = Object.entries(webhooks).map(([name, item]) => {
    const { summary, data } = eventOf(item);
    return `${comment(summary, '  ')}  readonly ${JSON.stringify(name)}: ${typeOf(data, 1)};`;
  });
  return `/** The \`data\` of each event. */\nexport interface Events {\n${members.join('\n')}\n}\n`;
}

function eventOf(item: unknown): { readonly summary: unknown; readonly data: Schema } {
  const path = [
    'post',
    'requestBody',
    'content',
    'application/json',
    'schema',
    'properties',
    'data',
  ];
  const data = path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : null), item);
  if (!isObject(data)) throw new Error('an event has no data');
  return { data, summary: isObject(item) && isObject(item.post) ? item.post.summary : '' };
}

function clientOf(document: Schema): string {
  const resources = new Map<string, Operation[]>();
  for (const each of operationsOf(document)) {
    resources.set(each.resource, [...(resources.get(each.resource) ?? []), each]);
  }
  const members = [...resources].map(([name, operations]) => {
    const methods = operations.map(methodOf).join('');
    return `  readonly ${name}: ${name === 'events' ? EVENTS : ''}{\n${methods}  };\n`;
  });
  return `export interface Client {\n${members.join('')}}\n`;
}

const EVENTS =
  '(<Name extends EventName>(options?: EventsOptions<Name>) => EventStream<StreamEvent>) & ';

function methodOf(operation: Operation): string {
  const { name, summary, isPaged, pathParameters, takes } = operation;
  const ids = pathParameters.map((each) => `${each}: string`);
  const parametersWith = (input: readonly string[]) =>
    [...ids, ...input, 'options?: CallOptions'].join(', ');
  const parameters = parametersWith(takes === 'nothing' ? [] : [inputOf(operation)]);
  const method = `${comment(summary, '    ')}    ${name}(${parameters}): Promise<${resultOf(operation)}>;\n`;
  if (!isPaged) return method;
  const queryParameters = operation.queryParameters.filter((each) => each.name !== 'page');
  const every = parametersWith([inputOf({ ...operation, queryParameters })]);
  return `${method}    /** Every item, page after page. */\n    all(${every}): AsyncGenerator<${itemOf(operation)}, undefined>;\n`;
}

function inputOf({ takes, bodySchema, queryParameters }: Operation): string {
  if (takes === 'file') return 'file: FileInput';
  if (bodySchema) return `body: ${typeOf(bodySchema, 2)}`;
  const required = queryParameters.filter((each) => each.required === true);
  const properties = queryParameters.map(({ name, schema, description }) => [
    String(name),
    { ...(isObject(schema) ? schema : {}), description },
  ]);
  const type = typeOf(
    {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: required.map(({ name }) => name),
    },
    2,
  );
  return `query${required.length > 0 ? '' : '?'}: ${type}`;
}

function resultOf({ gives, results }: Operation): string {
  if (gives === 'raw') return 'Response';
  if (gives === 'text') return 'string';
  return [...new Set(results.map((schema) => typeOf(schema, 2)))].join(' | ');
}

function itemOf({ results: [list] }: Operation): string {
  const properties = list?.properties;
  const data = isObject(properties) ? properties.data : null;
  if (!isObject(data) || !isObject(data.items)) throw new Error('a list in pages has no items');
  return typeOf(data.items, 2);
}
