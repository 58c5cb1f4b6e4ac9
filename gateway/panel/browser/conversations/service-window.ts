/** The 24-hour window of `cloud`: free answers until a day after the contact's last message. */
import { now } from '../clock.ts';
import { WINDOW_MS } from '../format.ts';
import type { PanelConversation } from './api.ts';

/** Milliseconds that are left, 0 outside; null where there is no window, or it is unknown. */
export function windowLeftMs({ channel, lastInboundAt }: PanelConversation): number | null {
  if (channel.provider !== 'cloud' || lastInboundAt === undefined) return null;
  if (lastInboundAt === null) return 0;
  return Math.max(0, Date.parse(lastInboundAt) + WINDOW_MS - now());
}
