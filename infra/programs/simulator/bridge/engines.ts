/** The bridge's engines and versions, as far as its own behaviour differs between them. */

export const ENGINES = ['webjs', 'noweb', 'gows'] as const;
export type Engine = (typeof ENGINES)[number];

/** The newest version whose behaviour is simulated. */
export const NEWEST_VERSION = '2026.7.2';

/** Since this version a send names its own id, on the engines that accept one. */
const OWN_IDS_SINCE = '2026.4.3';
/** Since this version WEBJS has `$1` instead of `_serialized`. */
const RENAMED_IDS_SINCE = '2026.7.1';
/** Since this version a look-up of a number reports the phone beside the hidden id. */
const PHONE_IN_CHECK_SINCE = '2026.7.2';
const STICKERS_SINCE = '2026.7.2';

interface Build {
  readonly engine: Engine;
  readonly version: string;
}

export function takesOwnIds({ engine, version }: Build): boolean {
  return engine !== 'webjs' && atLeast(version, OWN_IDS_SINCE);
}

export function hasNewMessageIds(version: string): boolean {
  return atLeast(version, OWN_IDS_SINCE);
}

export function hasRenamedIds(version: string): boolean {
  return atLeast(version, RENAMED_IDS_SINCE);
}

export function returnsPhoneInCheck({ engine, version }: Build): boolean {
  return engine === 'gows' && atLeast(version, PHONE_IN_CHECK_SINCE);
}

export function hasStickers(version: string): boolean {
  return atLeast(version, STICKERS_SINCE);
}

/** Versions are `year.month.build`, each a number. */
function atLeast(version: string, floor: string): boolean {
  const given = version.split('.').map(Number);
  const needed = floor.split('.').map(Number);
  for (const [place, least] of needed.entries()) {
    const part = given[place] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
