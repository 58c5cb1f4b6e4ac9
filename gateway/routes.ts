/**
 * Routing table, and the look-up of a route by method and path. Paths without parameters are found
 * by one map look-up. The few others are compared segment by segment.
 */
import { looksLikeId } from '../shared/entity-ids.ts';
import type { McpRoute, Params, Route } from './route.ts';
import { CHANNEL_ROUTES } from './routes/channels.ts';
import { CONTACT_ROUTES } from './routes/contacts.ts';
import { CONVERSATION_ROUTES } from './routes/conversations.ts';
import { DEAL_ROUTES } from './routes/deals.ts';
import { DOCUMENT_ROUTES } from './routes/document.ts';
import { EVENT_ROUTES } from './routes/events.ts';
import { FILE_ROUTES } from './routes/files.ts';
import { FLOW_ROUTES } from './routes/flows.ts';
import { HEALTH_ROUTES } from './routes/health.ts';
import { IDENTITY_ROUTES } from './routes/identity.ts';
import { INBOUND_ROUTES } from './routes/inbound.ts';
import { MEDIA_ROUTES } from './routes/media.ts';
import { MEMBER_ROUTES } from './routes/members.ts';
import { MESSAGE_ACTION_ROUTES } from './routes/message-actions.ts';
import { MESSAGE_ROUTES } from './routes/messages.ts';
import { NETWORK_ROUTES } from './routes/networks.ts';
import { PIPELINE_ROUTES } from './routes/pipelines.ts';
import { TASK_ROUTES } from './routes/tasks.ts';
import { TEMPLATE_ROUTES } from './routes/templates.ts';

/** The rows of the OpenAPI document. */
export const ROUTES: readonly Route[] = [
  ...IDENTITY_ROUTES,
  ...CHANNEL_ROUTES,
  ...MEMBER_ROUTES,
  ...CONTACT_ROUTES,
  ...CONVERSATION_ROUTES,
  ...MESSAGE_ROUTES,
  ...MESSAGE_ACTION_ROUTES,
  ...TEMPLATE_ROUTES,
  ...MEDIA_ROUTES,
  ...FILE_ROUTES,
  ...FLOW_ROUTES,
  ...PIPELINE_ROUTES,
  ...DEAL_ROUTES,
  ...TASK_ROUTES,
  ...INBOUND_ROUTES,
  ...EVENT_ROUTES,
  ...NETWORK_ROUTES,
  ...DOCUMENT_ROUTES,
  ...HEALTH_ROUTES,
];

/** The part of a row by which it is found. */
interface Row extends Pick<Route, 'method' | 'path' | 'opensStream'> {
  readonly entrance: string;
}

export type Found<Each extends Row = Route> =
  | { readonly route: Each; readonly params: Params }
  /** The path is known, the method is not: the value of `Allow`. */
  | { readonly allow: string };

interface PathEntry<Each> {
  readonly segments: readonly string[];
  readonly routes: Map<string, Each>;
  readonly allow: string;
}

const NO_PARAMS: Params = {};

export type FindRoute<Each extends Row> = (method: string, path: string) => Found<Each> | null;

/** The look-up in a table of routes; it answers null for an unknown path. */
export function routeFinder<Each extends Row>(routes: readonly Each[]): FindRoute<Each> {
  const entries = pathEntriesOf(routes);
  const fixed = new Map(entries.map((entry) => [`/${entry.segments.join('/')}`, entry]));
  const patterns = entries.filter((entry) => entry.segments.some(isParameter));
  return (method, path) => {
    const known = fixed.get(path);
    if (known) return choose(known, method, NO_PARAMS);
    const segments = path.slice(1).split('/');
    for (const entry of patterns) {
      const params = match(entry, segments);
      if (params) return choose(entry, method, params);
    }
    return null;
  };
}

const MCP_ROUTE: McpRoute = {
  method: 'POST',
  path: '/mcp',
  operationId: 'mcp',
  entrance: 'mcp',
};

/** The row of a request to the gateway. */
export const findRoute = routeFinder<Route | McpRoute>([...ROUTES, MCP_ROUTE]);

function choose<Each extends Row>(
  entry: PathEntry<Each>,
  method: string,
  params: Params,
): Found<Each> {
  const route = entry.routes.get(method);
  return route ? { route, params } : { allow: entry.allow };
}

function match(
  { segments: wantedSegments }: PathEntry<unknown>,
  segments: readonly string[],
): Params | null {
  if (segments.length !== wantedSegments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, wanted] of wantedSegments.entries()) {
    const given = segments[index] ?? '';
    if (!isParameter(wanted)) {
      if (given !== wanted) return null;
    } else if (looksLikeId(given)) params[wanted.slice(1, -1)] = given;
    else return null;
  }
  return params;
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function pathEntriesOf<Each extends Row>(routes: readonly Each[]): readonly PathEntry<Each>[] {
  const byPath = Map.groupBy(routes, (route) => route.path);
  return [...byPath].map(([path, rows]) => ({
    segments: path.slice(1).split('/'),
    routes: new Map(rows.flatMap((row) => methodsOf(row).map((method) => [method, row]))),
    allow: rows.flatMap(methodsOf).join(', '),
  }));
}

/** HEAD is GET without the body, where the head of an answer means something by itself (D325). */
function methodsOf({ method, entrance, opensStream }: Row): readonly string[] {
  const isRead = entrance === 'api' || entrance === 'open';
  return method === 'GET' && isRead && !opensStream ? [method, 'HEAD'] : [method];
}
