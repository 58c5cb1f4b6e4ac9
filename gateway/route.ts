/**
 * A row of the table of routes: routing, validation, the ask and the OpenAPI document all come
 * from it. Three entrances: `api` needs a key, `network` is a messaging network's webhook with
 * checks of its own, `open` needs nothing. A fourth, `mcp`, calls rows of `api`.
 */
import type { GenericSchema } from 'valibot';
import {
  type Failure,
  type FailureKind,
  failure,
  type Issue,
  invalid,
} from '../shared/failures.ts';
import type { Address, AnswerOf, BodyOf, CommandOf } from '../shared/ports/bus.ts';
import type { Ids } from '../shared/ports/ids.ts';
import type { Access, ActorKind, Origin, Provider } from '../shared/vocabulary.ts';
import { bodyOf } from '../shared/wire/answer.ts';
import type { Caller, CallerChannel } from '../shared/wire/caller.ts';
import type { ReadMedia } from '../shared/wire/media-commands.ts';
import type { CallClaim } from '../shared/wire/queries.ts';
import type { PayloadOf, QueryMap, Resource } from '../shared/wire/query-map.ts';
import { refuseAccess } from './access.ts';
import type { WantedStream } from './events/asked-owners.ts';
import type { Gateway } from './gateway.ts';
import type { FileHead } from './http/file-head.ts';
import { type Reply, refusalReply } from './http/respond.ts';
import type { JsonObject } from './json-schema.ts';
import { chosenPhone, lookUpOf, phoneOf } from './phone.ts';
import {
  type ParameterTypes,
  type ParsedQuery,
  parameterTypes,
  parseQuery,
  type RequestSchema,
  requireChannel,
  validate,
} from './validate.ts';

export type Method = 'GET' | 'POST';
export type Params = Readonly<Record<string, string>>;

export type ActorPlan = {
  readonly [Kind in ActorKind]: {
    readonly to: 'actor';
    readonly address: Address<Kind>;
    readonly command: CommandOf<Kind>;
    /** How long an answer is waited for; an ask's usual time unless set. */
    readonly withinMs?: number;
    /** Not repeated for want of an answer: its bytes would be carried again. */
    readonly once?: true;
  };
}[ActorKind];

type QueryPlan = {
  readonly [Each in Resource]: {
    readonly to: 'query';
    readonly resource: Each;
    readonly payload: PayloadOf<Each>;
  };
}[Resource];

/** The result of a valid request: the ask that executes it. */
export type Plan =
  | ActorPlan
  /** The bytes of a file. */
  | { readonly to: 'media'; readonly payload: Omit<ReadMedia, 'start'> }
  /** Events as they happen. */
  | { readonly to: 'events'; readonly stream: WantedStream }
  | QueryPlan
  | { readonly to: 'caller'; readonly refusal: Failure };

type BodyAfter<Asked extends Plan> = Asked extends {
  readonly to: 'actor';
  readonly address: Address<infer Kind>;
  readonly command: { readonly type: infer Type };
}
  ? BodyOf<Kind, Type>
  : Asked extends { readonly to: 'query'; readonly resource: infer Each extends Resource }
    ? QueryMap[Each]['answer']
    : unknown;

interface AskTerms {
  /** Its effect stays, whatever the call answers then: a repeat under its key has the same ids. */
  readonly effectStays?: boolean;
}

/** Asks for a call. @throws when no answer arrives in time */
export type Ask = <Asked extends Plan>(
  plan: Asked,
  terms?: AskTerms,
) => Promise<Reply & AnswerOf<BodyAfter<Asked>>>;

/**
 * Asks one after another: each answer decides about the next. Under an `Idempotency-Key` ids derive
 * from their order, so that a repeated run, which makes them in the same order, makes the same.
 */
export type Run = (ask: Ask) => Promise<Reply>;

/** The answer of a call that needs one ask, or several. */
export function answered(wanted: Plan | Run, ask: Ask): Promise<Reply> {
  return typeof wanted === 'function' ? wanted(ask) : ask(wanted);
}

/** One answer in the OpenAPI document. */
export interface AnswerRow {
  readonly description: string;
  readonly schema: GenericSchema;
  readonly example?: unknown;
  /** Of a schema that is a string; `text/plain` unless set. */
  readonly contentType?: string;
}

/** The content of an answer whose bytes may be of any type. */
export const ANY_TYPE = '*/*';

interface Described {
  readonly method: Method;
  /** `{name}` segments match ids. */
  readonly path: string;
  readonly operationId: string;
  /** Portuguese. */
  readonly summary: string;
  /** Portuguese; of every row that the OpenAPI document has. */
  readonly description?: string;
  readonly tag: string;
  /** What the id in its path identifies, in Portuguese, and an id; a channel unless set. */
  readonly pathId?: { readonly description: string; readonly example: string };
  /** In the OpenAPI document: parameters beside those of its path and its schemas. */
  readonly ownParameters?: readonly JsonObject[];
  readonly answers: Readonly<Record<number, AnswerRow>>;
  /** Statuses beyond those that every entrance may answer. */
  readonly refusals?: readonly (403 | 404 | 409)[];
  /** The answer holds a secret: it is kept under no `Idempotency-Key`. */
  readonly answersSecret?: true;
  /** Its calls count in no rate window. */
  readonly isUncounted?: true;
  /** The answer is an event stream: it stands outside load shedding. */
  readonly opensStream?: true;
}

export interface ApiRequest {
  readonly caller: Caller;
  readonly ids: Ids;
  readonly params: Params;
  readonly query: ParsedQuery;
  /** Null on GET. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /** Of a row whose body is a file. */
  readonly file?: SentFile | undefined;
  /** Of a call under an `Idempotency-Key`. */
  readonly claim?: CallClaim | undefined;
}

export interface SentFile extends FileHead {
  readonly bytes: Buffer;
}

/** A request that passed its schemas. */
export interface Valid<Query, Body> {
  readonly caller: Caller;
  readonly ids: Ids;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Canonical digits of the `phone` in query or body; null when there is none. */
  readonly phone: string | null;
  /** Null where the row takes none. */
  readonly file: SentFile | null;
}

/** A request that passed its schemas, with the asks that answer it. */
export interface Call<Query, Body> extends Valid<Query, Body> {
  readonly ask: Ask;
}

/** How a row is answered. */
type Answering<Query, Body> =
  /**
   * By one ask, whose answer is the call's: a known caller's travels with its admission. A request
   * that turns out to need several has a run instead.
   */
  | {
      readonly plan: (request: Valid<Query, Body>) => Plan | Run;
      readonly run?: undefined;
    }
  /** By several asks, or by what is made of an answer. It begins once the call is admitted. */
  | {
      readonly run: (call: Call<Query, Body>) => Promise<Reply>;
      readonly plan?: undefined;
    };

export interface BodyExample {
  /** Portuguese. */
  readonly summary: string;
  readonly value: unknown;
}

/** What only rows with a key have, in the table and once made. */
interface ApiDescribed extends Described {
  readonly bodyExample?: unknown;
  /** In the OpenAPI document, in place of the one example. */
  readonly bodyExamples?: Readonly<Record<string, BodyExample>>;
  /** Of parameters of the query that are required: the OpenAPI document shows a call with them. */
  readonly queryExamples?: Readonly<Record<string, string>>;
  /** Portuguese; of fields that other rows do not have, or have under another meaning. */
  readonly fieldDescriptions?: Readonly<Record<string, string>>;
  /** A call without a body counts as one with an empty object. */
  readonly mayOmitBody?: boolean;
  /** The body is a file, of so many bytes at most: raw, and described by headers. */
  readonly rawMaxBytes?: number;
  /** The body names the channel to write through; an account key must. */
  readonly needsChannel?: boolean;
  /** People read its last calls in the panel; the path's `id` is a channel's. */
  readonly isRecorded?: boolean;
  /** It adds records and changes none that exist: its tool is not destructive. */
  readonly isAdditive?: boolean;
  /** False: no tool of `/mcp` (D258). */
  readonly isTool?: boolean;
}

interface ApiParts<Query, Body> extends ApiDescribed {
  readonly query?: RequestSchema<Query>;
  readonly body?: RequestSchema<Body>;
  /** Its phones are typed by strangers, in a form. */
  readonly isForm?: boolean;
  /** The refusal while the engine is not connected: `fault` unless set. */
  readonly whenDisconnected?: FailureKind;
}

/**
 * The least access of a key that may call the row. Reading needs the least there is; a row of the
 * panel alone is called by no key.
 */
type Accessible =
  | { readonly method: 'GET'; readonly access?: 'read' }
  | { readonly method: 'POST'; readonly path: `/panel/${string}`; readonly access?: undefined }
  | { readonly method: 'POST'; readonly path: `/api/${string}`; readonly access: Access };

export type ApiRow<Query, Body> = ApiParts<Query, Body> & Accessible & Answering<Query, Body>;

export interface ApiRoute extends ApiDescribed {
  readonly entrance: 'api';
  readonly access: Access;
  readonly query: RequestSchema<unknown> | null;
  readonly body: RequestSchema<unknown> | null;
  readonly whenDisconnected: FailureKind;
  /** Of the raw query string. */
  readonly readQuery: (query: string) => ParsedQuery;
  readonly prepare: (request: ApiRequest) => Plan | Run;
}

/** A network's request, raw: its signature is over the bytes. */
export interface NetworkRequest {
  readonly commandId: string;
  readonly params: Params;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

export interface NetworkRoute extends Described {
  readonly entrance: 'network';
  readonly provider: Provider;
  readonly plan: (request: NetworkRequest) => Plan;
}

export interface OpenRequest {
  readonly requestId: string;
  readonly params: Params;
  /** Valid only before the first `await`. */
  headers(): Readonly<Record<string, string>>;
}

export interface OpenRoute extends Described {
  readonly entrance: 'open';
  readonly answer: (gateway: Gateway, request: OpenRequest) => Reply | Promise<Reply>;
}

/** A row that the OpenAPI document describes. */
export type Route = ApiRoute | NetworkRoute | OpenRoute;

/** Tools over the rows of `api`, in a protocol that describes itself (D259). */
export interface McpRoute extends Pick<Described, 'method' | 'path' | 'operationId'> {
  readonly entrance: 'mcp';
}

const NO_PARAMETERS: ParameterTypes = new Map();

/** A route whose requests have a key. */
export function apiRoute<Query = null, Body = null>(row: ApiRow<Query, Body>): ApiRoute {
  const { query, body, plan, run, whenDisconnected, ...described } = row;
  const { access = row.method === 'GET' ? 'read' : 'full' } = row;
  const types = query ? parameterTypes(query.entries) : NO_PARAMETERS;
  const phoneIn = body && 'phone' in body.entries ? 'body' : 'query';
  const hasPhone = [body, query].some((schema) => schema && 'phone' in schema.entries);
  return {
    ...described,
    entrance: 'api',
    access,
    query: query ?? null,
    body: body ?? null,
    whenDisconnected: whenDisconnected ?? 'fault',
    readQuery: (text) => parseQuery(text, types),
    prepare(request) {
      const issues: Issue[] = [...request.query.issues];
      const values = { query: request.query.values, body: request.body ?? {} };
      const validQuery = query ? validate(query, values.query, issues) : null;
      const validBody = body ? validate(body, values.body, issues) : null;
      const { caller, ids, params, claim } = request;
      if (row.needsChannel) requireChannel(values.body, caller, issues);
      const isQuery = phoneIn === 'query' && request.query.isEncoded === true;
      const read = hasPhone ? phoneOf(values[phoneIn], { caller, isQuery }, issues) : null;
      if (issues.length > 0) return { to: 'caller', refusal: invalid(...issues) };
      const refusal = refuseAccess(caller, access);
      if (refusal) return { to: 'caller', refusal };
      const parts = { query: outputOf(validQuery), body: outputOf(validBody) };
      const wantedFor = (phone: string | null): Plan | Run => {
        const valid = { caller, ids, params, phone, file: request.file ?? null, ...parts };
        return plan ? plan(valid) : (ask) => run({ ...valid, ask });
      };
      if (read === null || 'phone' in read) return wantedFor(read?.phone ?? null);
      const use = row.isForm ? 'form' : row.method === 'GET' ? 'read' : 'write';
      const payload = lookUpOf(read, { orgId: caller.orgId, ...(claim ? { claim } : {}) });
      return async (ask) => {
        const found = await ask({ to: 'query', resource: 'phones-on-record', payload });
        if (found.status !== 200) return found;
        const chosen = chosenPhone(read, bodyOf(found), use);
        if ('refusal' in chosen) return refusalReply(chosen.refusal);
        return answered(wantedFor(chosen.phone), ask);
      };
    },
  };
}

/** A row without a schema declares `null` for it, and nothing reads it. */
function outputOf<Output>(valid: { readonly output: Output } | null): Output {
  return valid?.output as Output;
}

/** JSON or a file. */
export function takesBody({ body, rawMaxBytes }: Pick<ApiRoute, 'body' | 'rawMaxBytes'>): boolean {
  return body !== null || rawMaxBytes !== undefined;
}

export function networkRoute(row: Omit<NetworkRoute, 'entrance'>): NetworkRoute {
  return { ...row, entrance: 'network' };
}

export function openRoute(row: Omit<OpenRoute, 'entrance'>): OpenRoute {
  return { ...row, entrance: 'open' };
}

/** The names of a path's `{…}` segments, in order. */
export function parameterNames(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** The cause of a change, as its events name it. */
export function originOf({ member, assistant }: Caller): Origin {
  if (member) return 'panel';
  return assistant ? 'assistant' : 'api';
}

/** Where a contact, or its consent, came from: an AI assistant is a program there. */
export function sourceOf({ member }: Caller): 'api' | 'panel' {
  return member ? 'panel' : 'api';
}

export type Scoped<Value> = { readonly value: Value } | { readonly refusal: Failure };

/** The channel to write through: the one named, or a channel key's own. */
export function channelInScope(
  caller: Caller,
  channelId: string | undefined,
): Scoped<CallerChannel> {
  if (isOtherChannel(caller, channelId)) return { refusal: failure('other_channel') };
  const wanted = channelId ?? caller.channelId;
  const channel = caller.channels.find((candidate) => candidate.id === wanted);
  return channel ? { value: channel } : { refusal: failure('channel_not_found') };
}

export function isOtherChannel(caller: Caller, channelId: string | undefined): boolean {
  return caller.channelId !== null && channelId !== undefined && channelId !== caller.channelId;
}

/** 409 with the channel's own reason (C4.9.3). */
export function readinessRefusal(channel: CallerChannel): Failure | null {
  if (channel.ready) return null;
  return failure('channel_not_ready', channel.reason ?? undefined);
}
