/** The parts of the OpenAPI document that the pages show. */

interface Referring {
  readonly $ref?: string;
}

export interface Schema extends Referring {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

export interface Parameter extends Referring {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Answer extends Referring {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, Media>> };
  readonly responses?: Readonly<Record<string, Answer>>;
}

type Items = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export interface ApiDocument {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description?: string;
  };
  readonly servers?: readonly { readonly url: string }[];
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Items;
  readonly webhooks?: Items;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly headers?: Readonly<Record<string, Parameter>>;
    readonly responses?: Readonly<Record<string, Answer>>;
  };
}

/** An operation with its verb and its path; an event's path is its name. */
export interface Entry {
  readonly verb: string;
  readonly place: string;
  readonly operation: Operation;
}

export function entriesOf(items: Items): readonly Entry[] {
  return Object.entries(items).flatMap(([place, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      verb: method.toUpperCase(),
      place,
      operation,
    })),
  );
}

/** The last word of a reference, empty where there is none. */
export function referredName({ $ref = '' }: Referring): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

export function parametersOf(api: ApiDocument, operation: Operation): readonly Parameter[] {
  const named = api.components?.parameters;
  return (operation.parameters ?? []).map((each) => named?.[referredName(each)] ?? each);
}

export interface ListedAnswer {
  readonly status: string;
  readonly answer: Answer;
}

export function answersOf(api: ApiDocument, operation: Operation): readonly ListedAnswer[] {
  const named = api.components?.responses;
  return Object.entries(operation.responses ?? {}).map(([status, given]) => ({
    status,
    answer: named?.[referredName(given)] ?? given,
  }));
}

/** The schema itself where a reference leads to it. */
export function schemaOf(api: ApiDocument, schema: Schema | undefined): Schema | undefined {
  if (schema?.$ref === undefined) return schema;
  return api.components?.schemas?.[referredName(schema)];
}

/** The first content of a body, whatever its type, with the first of its examples. */
export function mediaOf(content: Readonly<Record<string, Media>> | undefined): Media | undefined {
  const [media] = Object.values(content ?? {});
  return media && withOneExample(media);
}

export function withOneExample({ examples, ...media }: Media): Media {
  const [first] = Object.values(examples ?? {});
  return first === undefined ? media : { ...media, example: first.value };
}

export function needsKey({ security }: Operation): boolean {
  return (security?.length ?? 0) > 0;
}
