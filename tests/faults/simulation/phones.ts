import type { SeededRandom } from './world/seeded-random.ts';

/** Phones of the few contacts that all clients of a world share. */
export const PHONES = ['5511987650001', '5511987650002', '5511987650003', '5521987650004'];

/** Now and then without the ninth digit, as old address books have it: the same person. */
export function spelled(random: SeededRandom, phone: string): string {
  return random.happens(0.15) ? phone.replace(/^(55\d\d)9([6-9]\d{7})$/, '$1$2') : phone;
}
