import type { NetworkPerson } from '../../../shared/ports/network-event.ts';
import type { SeededRandom } from './world/seeded-random.ts';

/** One world of so many. */
const JOINED_OF = 3;

/** Phones of the few contacts that all clients of a world share. */
export const PHONES = ['5511987650001', '5511987650002', '5511987650003', '5521987650004'];

/** Now and then without the ninth digit, as old address books have it: the same person. */
export function spelled(random: SeededRandom, phone: string): string {
  return random.happens(0.15) ? phone.replace(/^(55\d\d)9([6-9]\d{7})$/, '$1$2') : phone;
}

/** As a network may report the person instead. */
export function hidden(phone: string): NetworkPerson {
  return { phone: '', networkId: `${phone}@lid` };
}

/** Whether the network of this world also tells which hidden id is whose: contacts are joined. */
export function hasJoins(seed: number): boolean {
  return seed % JOINED_OF === 2;
}
