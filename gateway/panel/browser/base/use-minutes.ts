/** Renders a page anew each minute: what is late, or left, changes by the clock alone. */
import { useEffect, useState } from 'preact/hooks';
import { after, every, now } from '../clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** @param end ISO time within the hour at which the page is rendered as well */
export function useMinutes(end: string | null = null): void {
  const [, setTicks] = useState(0);
  const tick = () => setTicks((ticks) => ticks + 1);
  useEffect(() => every(MINUTE_MS, tick), []);
  useEffect(() => {
    const leftMs = end === null ? 0 : Date.parse(end) - now();
    return leftMs > 0 && leftMs < HOUR_MS ? after(leftMs, tick) : undefined;
  }, [end]);
}
