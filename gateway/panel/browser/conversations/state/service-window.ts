/** The 24-hour window of `cloud`: the server knows its end, the page how much of it is left. */
import { now } from '../../clock.ts';
import type { PanelConversation } from './api.ts';

/** Milliseconds that are left, 0 outside; null where there is no window. */
export function windowLeftMs({ channel, windowExpiresAt }: PanelConversation): number | null {
  if (channel.provider !== 'cloud') return null;
  return windowExpiresAt === null ? 0 : Math.max(0, Date.parse(windowExpiresAt) - now());
}
