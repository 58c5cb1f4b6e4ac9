/**
 * The service of one process of tests, for files that only make organizations of their own: they
 * use it one after another. References and phones of each file are its own.
 *
 * A file that tries many wrong keys starts its own: all files have one address, with 100 a minute.
 */
import * as v from 'valibot';
import { phonesFrom } from './api.ts';
import { atEndOfProcess } from './end-of-process.ts';
import { FILE_PORTS_ALLOWED } from './file-ports.ts';
import { type Stack, type StackOptions, startStack } from './stack.ts';
import { waitFor } from './wait-for.ts';

const OrgsSchema = v.object({
  orgs: v.array(v.object({ ref: v.string(), remove: v.optional(v.boolean()) })),
});

/** Retries are quick, and any file may serve media and subscribers on this machine. */
const SHARED = {
  ...FILE_PORTS_ALLOWED,
  EVENT_RETRY_SCHEDULE: '100ms,200ms,300ms,400ms,500ms,600ms',
  LOG_LEVEL: 'info',
} as const;

/** By their settings, as JSON. */
const shared = new Map<string, Promise<Stack>>();
let files = 0;

type Settings = NonNullable<StackOptions['settings']>;

/**
 * The service of this process. The file may kill its processes and fault its networks, as long as
 * it is whole again when the file stops it.
 */
export async function shareStack(settings: Settings = SHARED): Promise<Stack> {
  const name = JSON.stringify(settings);
  const started = shared.get(name) ?? startShared(settings);
  shared.set(name, started);
  files += 1;
  return ofFile(await started, files);
}

function startShared(settings: Settings): Promise<Stack> {
  const starting = startStack({ settings });
  atEndOfProcess(async () => (await starting).stop());
  return starting;
}

function ofFile(stack: Stack, file: number): Stack {
  phonesFrom(file);
  const refs = new Set<string>();
  return {
    ...stack,
    prefix: `file-${file}-`,
    apply: (given) => {
      for (const { ref, remove } of v.parse(OrgsSchema, given).orgs) {
        if (remove === true) refs.delete(ref);
        else refs.add(ref);
      }
      return stack.apply(given);
    },
    // Deliveries would go on to subscribers that have gone, at ports that others may have.
    stop: async () => {
      await waitFor(() => isReady(stack), { what: 'the shared service is whole again' });
      await stack.apply({ orgs: [...refs].map((ref) => ({ ref, remove: true })) });
      await stack.network.forget();
    },
  };
}

async function isReady(stack: Stack): Promise<boolean> {
  const { baseUrl, panelUrl } = stack.runFile();
  const urls = [baseUrl, panelUrl].filter((url) => url !== null);
  const statuses = urls.map(async (url) => (await fetch(`${url}/readyz`)).status);
  return (await Promise.all(statuses).catch(() => [0])).every((status) => status === 200);
}
