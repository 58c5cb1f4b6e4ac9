/**
 * A service of the run, for files that use nothing but organizations of their own (D202, D216). All
 * of them share one, or one is lent to this file alone. References and phones of the file are its
 * own. A file that runs without the runner has its own service.
 *
 * A file that tries many wrong keys needs its own: all files have one address, with 100 a minute.
 */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import { phonesFrom } from './api.ts';
import { FILE_PORTS_ALLOWED } from './file-ports.ts';
import { SERVICES_OF_RUN } from './services-of-run.ts';
import { attachStack, type Stack, type StackOptions, startStack } from './stack.ts';
import { waitFor } from './wait-for.ts';

const PlaceSchema = v.object({ dataDir: v.string(), place: v.number() });
const OrgsSchema = v.object({
  orgs: v.array(v.object({ ref: v.string(), remove: v.optional(v.boolean()) })),
});

/** Of services that are lent to files without settings of their own. */
const PLAIN = {
  ...FILE_PORTS_ALLOWED,
  EVENT_RETRY_SCHEDULE: '100ms,200ms,300ms,400ms,500ms,600ms',
  LOG_LEVEL: 'info',
} as const;

/** The service that files share, for those that kill nothing and fault no network but their own. */
export function shareStack(): Promise<Stack> {
  return stackOfRun('shared', { settings: FILE_PORTS_ALLOWED, end: null });
}

/**
 * A service that no other file uses meanwhile, of files with the same settings. The file may kill
 * its processes and fault its networks. Its store holds what earlier files left.
 */
export function borrowStack(settings: Settings = PLAIN): Promise<Stack> {
  const end: End = async (stack, giveBack) => {
    const { baseUrl, panelUrl } = stack.runFile();
    const urls = [baseUrl, panelUrl].filter((url) => url !== null);
    const isReady = async () => {
      const answers = await Promise.all(urls.map((url) => fetch(`${url}/readyz`)));
      return answers.every(({ status }) => status === 200);
    };
    const readyAgain = () => isReady().catch(() => false);
    await waitFor(readyAgain, { what: 'the lent service is ready again', timeoutMs: 90_000 });
    await stack.network.forget();
    await giveBack();
  };
  return stackOfRun('lent', { settings, end });
}

/** Runs once the file's organizations are removed. */
type End = ((stack: Stack, giveBack: () => Promise<unknown>) => Promise<void>) | null;

type Settings = NonNullable<StackOptions['settings']>;

interface Asked {
  readonly settings: Settings;
  readonly end: End;
}

async function stackOfRun(path: string, { settings, end }: Asked): Promise<Stack> {
  const url = process.env[SERVICES_OF_RUN];
  if (url === undefined) return startStack({ settings });
  const asked = new URLSearchParams({ settings: JSON.stringify(settings) });
  const { dataDir, place } = v.parse(PlaceSchema, await ask(`${url}/${path}?${asked}`));
  phonesFrom(place);
  const refs = new Set<string>();
  const stack = attachStack(dataDir, {
    prefix: `file-${place}-`,
    // Deliveries would go on to subscribers that have gone, at ports that others may have.
    stop: async () => {
      await stack.apply({ orgs: [...refs].map((ref) => ({ ref, remove: true })) });
      await end?.(stack, () => ask(`${url}/returned?place=${place}`));
    },
  });
  return {
    ...stack,
    apply: (file) => {
      for (const { ref, remove } of v.parse(OrgsSchema, file).orgs) {
        if (remove === true) refs.delete(ref);
        else refs.add(ref);
      }
      return stack.apply(file);
    },
  };
}

async function ask(url: string): Promise<unknown> {
  const response = await fetch(url);
  assert.equal(response.status, 200, response.ok ? '' : await response.text());
  return response.json();
}
