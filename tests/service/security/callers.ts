/** Callers: the key that each sends, and the entities that are its own. */
import type { Organization } from '../../support/organization.ts';
import type { ResourcesFixture } from './resources-fixture.ts';
import type { Verdicts } from './verdicts.ts';

export interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Its own entities; a caller without a good key tries with the owner's. */
  readonly own: ResourcesFixture;
  /** Its relation to the owner's entities; null without a good key. */
  readonly relation: keyof Verdicts | null;
  /** Ids that no answer to it may hold, unless it named them itself. */
  readonly hidden: readonly string[];
}

export interface CallersFixture {
  readonly a: Organization;
  readonly b: Organization;
  /** Entities of organization `a`, the one under attack. */
  readonly main: ResourcesFixture;
  readonly shop: ResourcesFixture;
  readonly ofB: ResourcesFixture;
  readonly revokedKey: string;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

export function callersOf({
  a,
  b,
  main,
  shop,
  ofB,
  revokedKey,
}: CallersFixture): readonly Caller[] {
  const foreign = Object.values(ofB);
  const everythingOfA = [...Object.values(main), ...Object.values(shop), a.id];
  const channelOnly = ({ channelId, flowId, mediaId }: ResourcesFixture) => [
    channelId,
    flowId,
    mediaId,
  ];
  const none = { own: main, relation: null, hidden: everythingOfA };
  const unknown = 'rcd_unknown_0123456789-0123456789-0123456789';
  return [
    { name: 'account key', headers: bearer(a.key), own: main, relation: 'own', hidden: foreign },
    {
      name: "the channel's key",
      headers: { 'x-api-key': a.mainKey },
      own: main,
      relation: 'own',
      hidden: [...foreign, ...channelOnly(shop)],
    },
    {
      name: "another channel's key",
      headers: bearer(a.shopKey),
      own: shop,
      relation: 'channel',
      hidden: [...foreign, ...channelOnly(main)],
    },
    {
      name: 'account key of another organization',
      headers: bearer(b.key),
      own: ofB,
      relation: 'organization',
      hidden: everythingOfA,
    },
    { name: 'revoked key', headers: bearer(revokedKey), ...none },
    { name: 'unknown key', headers: bearer(unknown), ...none },
    { name: 'no key', headers: {}, ...none },
    {
      name: 'two keys that differ',
      headers: { ...bearer(a.key), 'x-api-key': a.mainKey },
      ...none,
    },
  ];
}
