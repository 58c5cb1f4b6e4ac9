/** Renders a page anew each minute: what is late, or left, changes by the clock alone. */
import { useEffect, useState } from 'preact/hooks';
import { every } from '../clock.ts';

const MINUTE_MS = 60_000;

export function useMinutes(): void {
  const [, setTicks] = useState(0);
  useEffect(() => every(MINUTE_MS, () => setTicks((ticks) => ticks + 1)), []);
}
