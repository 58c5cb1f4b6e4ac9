/** Routing of the events of a webhook: a person's in order, people side by side. */
import type { ChannelConfiguration } from '../readiness/configuration.ts';
import { readSent } from './named-message.ts';
import type { RoutingContext } from './receiving-channel.ts';
import { type PersonEvent, type RoutedEvent, routeEvent } from './route-event.ts';

/** Of one webhook. Other channels of the process need their turns meanwhile. */
const PEOPLE_AT_ONCE = 32;

/**
 * Where each event goes, in the order of the events; undefined where the network must repeat it.
 * One person's events are routed one after the other, people side by side. A webhook of a thousand
 * statuses with ids of new contacts would else take a minute, and no other one passes meanwhile.
 */
export async function routePeople(
  context: RoutingContext,
  configuration: ChannelConfiguration,
  events: readonly PersonEvent[],
): Promise<readonly (RoutedEvent | null | undefined)[]> {
  await readSent(
    context,
    events.filter((event) => event.type === 'receipt'),
  );
  const routed = new Array<RoutedEvent | null | undefined>(events.length).fill(undefined);
  const people = Map.groupBy(events.keys(), (at) => personNamed(events[at]));
  const remaining = people.values();
  let mayGoOn = true;
  const routeNext = async (): Promise<void> => {
    for (const person of remaining) {
      for (const at of person) {
        const event = events[at];
        if (!event || !mayGoOn) return;
        try {
          const found = await routeEvent(context, configuration, event);
          mayGoOn &&= found !== 'ask again';
          if (found !== 'ask again') routed[at] = found;
        } catch (fault) {
          mayGoOn = false;
          throw fault;
        }
      }
    }
  };
  // Most webhooks have one person.
  const atOnce = Math.min(PEOPLE_AT_ONCE, people.size);
  await Promise.all(Array.from({ length: atOnce }, routeNext));
  return routed;
}

/** A status is found by its message alone. */
function personNamed(event: PersonEvent | undefined): string {
  if (event === undefined) return '';
  return event.type === 'receipt' ? event.externalId : event.phone || event.networkId;
}
