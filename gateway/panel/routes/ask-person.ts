/** Asks of the rows to the actors of persons and of organizations. */
import { ASK_DEADLINE_MS } from '../../../shared/limits.ts';
import type { AnswerOf, BodyOf, CommandOf } from '../../../shared/ports/bus.ts';
import type { ActorKind } from '../../../shared/vocabulary.ts';
import { type Reply, refusalReply } from '../../http/respond.ts';
import type { Panel, PersonRequest } from '../panel.ts';

/** A request without its body. */
export type Asked = Pick<PersonRequest<unknown>, 'ids' | 'requestId' | 'address'>;

const TRY_AGAIN_SECONDS = 2;

interface To {
  readonly key: string;
  readonly requestId: string;
}

function asking<Kind extends ActorKind>(kind: Kind) {
  return <Sent extends CommandOf<Kind>>(
    { gateway }: Panel,
    { key, requestId }: To,
    command: Sent,
  ): Promise<AnswerOf<BodyOf<Kind, Sent['type']>>> => {
    const deadline = gateway.clock.now() + ASK_DEADLINE_MS;
    return gateway.bus.ask({ kind, key }, command, { deadline, requestId });
  };
}

export const askPerson = asking('person');
export const askOrganization = asking('organization');

/** Too many passphrases are being hashed. */
export function busyReply(): Reply {
  return refusalReply({ kind: 'rate_limited', retryAfterSeconds: TRY_AGAIN_SECONDS });
}
