/** `recado templates list|sync`: the templates of an organization's business accounts (D287). */
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import * as v from 'valibot';
import { group } from '../output/group.ts';
import { addList, type OfList, ORG } from '../output/lists.ts';
import { readPages } from '../output/pages.ts';
import { type Row, renderTable } from '../output/print.ts';
import type { Printing } from '../output/printing.ts';
import { readAnswer } from '../service/answer.ts';
import { ServiceFailed } from '../service/failure.ts';
import { findOrganization } from '../service/organizations.ts';
import type { Service } from '../service/service.ts';
import { channelId } from './entries.ts';

const POLL_MS = 200;
/** Longer than a claim of a process that has died, and a listing after it. */
const SYNC_MAX_MS = 120_000;

interface OfChannel extends OfList {
  readonly channel?: string;
}

interface Filter extends OfChannel {
  readonly status?: string;
}

async function listTemplates(service: Service, filter: Filter) {
  const { org, channel, status, limit = Number.MAX_SAFE_INTEGER } = filter;
  const orgId = await findOrganization(service, org);
  const asked = {
    orgId,
    ...(channel !== undefined && { channelId: await channelId(service, orgId, channel) }),
    ...(status !== undefined && { status }),
  };
  return readPages((page) => service.query('templates', { ...asked, ...page }), limit);
}

const syncedSchema = v.object({
  data: v.array(
    v.object({
      id: v.string(),
      businessAccountId: v.string(),
      request: v.number(),
      done: v.boolean(),
      templates: v.number(),
      syncedAt: v.nullable(v.string()),
      reason: v.nullable(v.string()),
    }),
  ),
  reason: v.nullable(v.string()),
});
type Synced = v.InferOutput<typeof syncedSchema>;

/** Asks again with its first requests until each is served. */
async function syncTemplates(service: Service, { org, channel }: OfChannel): Promise<Synced> {
  const orgId = await findOrganization(service, org);
  const named = channel === undefined ? null : await channelId(service, orgId, channel);
  const startedAt = performance.now();
  let requests: Readonly<Record<string, number>> = {};
  for (;;) {
    const asked = { orgId, channel: named, requests };
    const synced = readAnswer(syncedSchema, await service.query('sync-templates', asked));
    if (synced.data.every(({ done }) => done)) return synced;
    if (performance.now() - startedAt > SYNC_MAX_MS) {
      throw new ServiceFailed('The templates were not listed in time: see the log "templates".');
    }
    requests = Object.fromEntries(synced.data.map(({ id, request }) => [id, request]));
    await pause(POLL_MS);
  }
}

function syncedText({ data, reason }: Synced): string {
  if (data.length === 0) return `${reason}\n`;
  const rows = data.map(({ businessAccountId, templates, syncedAt, reason: failed }) => ({
    account: businessAccountId,
    templates,
    synced: syncedAt,
    result: failed ?? 'ok',
  }));
  return renderTable(rows);
}

function templateRow({ id, name, language, category, status, quality }: Row): Row {
  return { id, name, language, category, status, quality };
}

export function addTemplates(program: Command, printing: Printing): void {
  const templates = group(program, 'templates', "message templates of an organization's accounts");
  const ofChannel = () => new Option('--channel <channel>', 'ref or id of a channel');
  addList<Filter>(templates, printing, {
    description: 'lists the templates by their names',
    options: [ofChannel(), new Option('--status <status>', "the network's word, as APPROVED")],
    read: listTemplates,
    row: templateRow,
  });
  templates
    .command('sync')
    .description('reads the templates from the network now; exits with 1 where that fails')
    .option(...ORG)
    .addOption(ofChannel())
    .action((options: OfChannel) =>
      printing.show((service) => syncTemplates(service, options), {
        text: syncedText,
        failed: ({ data }) => data.length === 0 || data.some(({ reason }) => reason !== null),
      }),
    );
}
