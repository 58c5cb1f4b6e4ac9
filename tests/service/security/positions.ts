/** Every place of the table of routes where a caller names something by its id. */
import { ROUTES } from '../../../gateway/routes.ts';

export const PLACES = ['path', 'query', 'body'] as const;

export interface Position {
  readonly operation: string;
  /** Absent where the operation names nothing: its own answer is still a cell. */
  readonly at: { readonly place: (typeof PLACES)[number]; readonly name: string } | null;
}

const ID_NAME = /^id$|Ids?$/;

/** `sendMessage body.channelId`, or the operation alone. */
export function nameOf({ operation, at }: Position): string {
  return at === null ? operation : `${operation} ${at.place}.${at.name}`;
}

export function positionsOf(routes: typeof ROUTES): readonly Position[] {
  return routes.flatMap((route) => {
    const named = {
      path: [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
      query: route.entrance === 'api' ? idNames(route.query?.entries) : [],
      body: route.entrance === 'api' ? idNames(route.body?.entries) : [],
    };
    const { operationId: operation } = route;
    const positions = PLACES.flatMap((place) =>
      named[place].map((name) => ({ operation, at: { place, name } })),
    );
    return [{ operation, at: null }, ...positions];
  });
}

function idNames(entries: Readonly<Record<string, unknown>> = {}): string[] {
  return Object.keys(entries).filter((name) => ID_NAME.test(name));
}

export const POSITIONS = positionsOf(ROUTES);
