/**
 * The three ways out for callers' URLs: a delivery, a call of a flow, a download. Whatever names
 * and addresses are made of, none of them leads inwards, and none waits for a name for ever.
 */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { createDownloader } from '../../../../../infra/adapters/media/download.ts';
import type { Resolve } from '../../../../../infra/adapters/outbound/resolver.ts';
import { createOutbound } from '../../../../../infra/adapters/outbound/safe-fetch.ts';
import { realClock } from '../../../../support/infra/adapters/outbound/real-clock.ts';
import { type Everywhere, listenEverywhere } from '../../../../support/stand-ins/everywhere.ts';
import { bytesIn } from '../media/media-fixture.ts';

const ADMITTED = '127.0.0.2';
/** A busy machine connects within the first; nothing comes within the second. */
const [PATIENT_MS, HASTY_MS] = [60_000, 100];

interface Way {
  /** The outcome: `reached`, or why not. */
  go(url: string): Promise<string>;
  close(): Promise<void>;
}

interface Names {
  readonly allow: readonly string[];
  readonly resolve: Resolve;
  readonly withinMs: number;
}

function outward({ withinMs: timeoutMs, ...names }: Names, flow: boolean): Way {
  // For deliveries alone: a flow must not notice it.
  const shared = { ...names, loopback: flow, clock: realClock, timeoutMs };
  const outbound = createOutbound(shared);
  const call = { method: 'GET', headers: {}, body: null, retainedMaxBytes: 10 };
  return {
    go: async (url) => {
      const outcome = await (flow ? outbound.request(url, call) : outbound.post(url, '{}', {}));
      return outcome.ok ? 'reached' : outcome.kind;
    },
    close: () => outbound.close(),
  };
}

function downloading(names: Names): Way {
  const downloader = createDownloader({ ...names, clock: realClock });
  const kinds: readonly (readonly [RegExp, string])[] = [
    [/rede interna/, 'blocked_address'],
    [/demorou/, 'timeout'],
  ];
  return {
    go: async (url) => {
      const download = await downloader.download({
        ...{ url, orgId: 'org_1', maxBytes: () => 1_000, wants: () => true },
        store: ({ body }) => bytesIn(body),
      });
      if (download.downloaded) return 'reached';
      const reason = download.reason ?? 'not wanted';
      return kinds.find(([words]) => words.test(reason))?.[1] ?? reason;
    },
    close: () => downloader.close(),
  };
}

const WAYS: Readonly<Record<string, (names: Names) => Way>> = {
  'a delivery': (names) => outward(names, false),
  'a call of a flow': (names) => outward(names, true),
  'a download': downloading,
};

interface Fixture {
  readonly listener: Everywhere;
  readonly go: (url: string) => Promise<string>;
}

async function openFixture(
  t: TestContext,
  way: (names: Names) => Way,
  { resolve, withinMs = PATIENT_MS }: Pick<Names, 'resolve'> & Partial<Names>,
): Promise<Fixture> {
  const listener = await listenEverywhere();
  const { go, close } = way({ allow: [`${ADMITTED}:${listener.port}`], resolve, withinMs });
  t.after(async () => {
    await close();
    await listener.close();
  });
  return { listener, go };
}

for (const [name, way] of Object.entries(WAYS)) {
  describe(`${name} by a name`, () => {
    test('goes to the address that is admitted', async (t) => {
      const resolve = async () => [{ address: ADMITTED, family: 4 }];
      const { listener, go } = await openFixture(t, way, { resolve });
      assert.equal(await go(`http://good.example:${listener.port}/`), 'reached');
      assert.equal(listener.connected.length, 1);
    });

    test('does not go where one of its addresses is internal', async (t) => {
      const inward = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00::2', '::'];
      for (const address of inward) {
        const bad = { address, family: address.includes(':') ? 6 : 4 };
        const good = { address: ADMITTED, family: 4 };
        for (const mixed of [
          [good, bad],
          [bad, good],
        ]) {
          const { listener, go } = await openFixture(t, way, { resolve: async () => mixed });
          assert.equal(await go(`http://mixed.example:${listener.port}/`), 'blocked_address');
          assert.deepEqual(listener.connected, []);
        }
      }
    });

    test('gives up in time when nobody says what the name is', async (t) => {
      const { listener, go } = await openFixture(t, way, {
        resolve: () => new Promise(() => undefined),
        withinMs: HASTY_MS,
      });
      assert.equal(await go(`http://slow.example:${listener.port}/`), 'timeout');
      assert.deepEqual(listener.connected, []);
    });

    test('connects to nothing when the name is told after it has given up', async (t) => {
      const told = Promise.withResolvers<void>();
      const { listener, go } = await openFixture(t, way, {
        resolve: async () => {
          await told.promise;
          return [{ address: ADMITTED, family: 4 }];
        },
        withinMs: HASTY_MS,
      });
      assert.equal(await go(`http://late.example:${listener.port}/`), 'timeout');
      told.resolve();
      for (let turn = 0; turn < 50; turn++) await new Promise((next) => setImmediate(next));
      assert.deepEqual(listener.bodies, []);
    });
  });
}
