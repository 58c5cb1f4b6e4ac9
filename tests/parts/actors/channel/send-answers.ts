/** Answers of a network to a send. */
import type { OutboundText, SendOutcome } from '../../../../shared/ports/network.ts';

/** The network takes it and never answers. */
export const NEVER = () => new Promise<SendOutcome>(() => undefined);

export function accepted({ messageId }: OutboundText): SendOutcome {
  return { outcome: 'accepted', externalId: `ext_${messageId}` };
}
