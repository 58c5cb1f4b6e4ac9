/** `recado messages cancel --bulk`: cancels what waits in bulk in a channel's queue (D427). */
import type { Command } from 'commander';
import * as v from 'valibot';
import { type Answer, AskFailed } from '../../../../shared/ports/bus.ts';
import { systemClock } from '../../../adapters/clock/clock.ts';
import { channelId } from '../organization/entries.ts';
import { group } from '../output/group.ts';
import { ORG } from '../output/lists.ts';
import type { Printing } from '../output/printing.ts';
import { readAnswer } from '../service/answer.ts';
import { ServiceFailed } from '../service/failure.ts';
import { operatorAs } from '../service/operator.ts';
import { findOrganization } from '../service/organizations.ts';
import type { Service } from '../service/service.ts';

/** Owners that end leave some seconds between two. */
const PATIENCE_MS = 60_000;
const AGAIN_MS = 200;

const cancelledSchema = v.object({
  cancelled: v.number(),
  before: v.number(),
  more: v.boolean(),
});

type Cancelled = v.InferOutput<typeof cancelledSchema>;

interface OfChannel {
  readonly org?: string;
  readonly channel: string;
}

interface Asked {
  readonly orgId: string;
  readonly key: string;
  readonly before: number | null;
}

/** Asks under one id until an owner answers. */
async function askPatiently(service: Service, { orgId, key, before }: Asked): Promise<Answer> {
  const to = { kind: 'channel', key } as const;
  const named = { id: service.ids.fresh('cmd'), type: 'cancel-bulk' } as const;
  const command = { ...named, orgId, before, ...operatorAs('cancelBulk') };
  const until = systemClock.now() + PATIENCE_MS;
  for (;;) {
    const isLast = () => systemClock.now() >= until;
    try {
      const answer = await service.ask(to, command);
      if (answer.status < 500 || isLast()) return answer;
    } catch (cause) {
      if (!(cause instanceof AskFailed) || isLast()) throw cause;
    }
    await new Promise((resume) => setTimeout(resume, AGAIN_MS));
  }
}

async function cancelBulk(service: Service, { org, channel }: OfChannel) {
  const orgId = await findOrganization(service, org);
  const key = await channelId(service, orgId, channel);
  let before: number | null = null;
  for (let cancelled = 0; ; ) {
    const answer: Answer = await askPatiently(service, { orgId, key, before }).catch(
      (cause: unknown) => {
        throw new ServiceFailed(`${cancelled} cancelled; run the command again.`, { cause });
      },
    );
    const some: Cancelled = readAnswer(cancelledSchema, answer);
    cancelled += some.cancelled;
    if (!some.more) return { channelId: key, cancelled };
    before = some.before;
  }
}

export function addMessages(program: Command, printing: Printing): void {
  group(program, 'messages', 'messages in the queue of a channel')
    .command('cancel')
    .description('cancels all bulk messages that wait; after an interruption, run it again')
    .option(...ORG)
    .requiredOption('--channel <channel>', 'ref or id of the channel')
    .requiredOption('--bulk', 'bulk messages: others cannot be cancelled')
    .action((options: OfChannel) => printing.show((service) => cancelBulk(service, options)));
}
