/** Every checker under its name. */
import {
  attemptsAreCounted,
  everyDeliveryEnds,
  everyTransitionIsTold,
  oneDeliveryPerEvent,
} from './deliveries.ts';
import {
  contactsKeepWhatWasMerged,
  createdIsThere,
  dealEventsMatchTransitions,
  dealsAreRegisters,
} from './entities.ts';
import type { Checker } from './evidence.ts';
import { eachSentenceOnce, everyRunGoesOn, oneRunAtATime, startedOnceEach } from './flows.ts';
import { takenInOnce } from './inbound.ts';
import { arrivedMediaIsThere, mediaIsAsAsked } from './media.ts';
import {
  everyMessageIsSettled,
  handedOverInOrder,
  ourOwnIsNoEcho,
  restrictedIsFinal,
  takenOnceWhereTheNetworkTells,
  underOneIdEach,
} from './network.ts';
import {
  endedIsNotHandedOver,
  neverEarly,
  noneAfterOptOut,
  settledAsTheyBecameDue,
  settledOnce,
} from './scheduled.ts';
import { acceptedIsDurable, answeredFirstComesFirst, logsHaveNoGapAndNoFork } from './sends.ts';
import {
  everyChannelIsProbed,
  everyConversationIsListed,
  everyStageOfADealIsTold,
  listsShowWhatWasAcknowledged,
  noKeyedCallHasTwoEffects,
  parkedDeliveriesComeBack,
} from './slow-time.ts';
import { noMoreThanAllowed, windowsAreWrittenDown } from './windows.ts';

export const CHECKERS: Readonly<Record<string, Checker>> = {
  acceptedIsDurable,
  answeredFirstComesFirst,
  logsHaveNoGapAndNoFork,
  handedOverInOrder,
  takenOnceWhereTheNetworkTells,
  underOneIdEach,
  restrictedIsFinal,
  ourOwnIsNoEcho,
  everyMessageIsSettled,
  settledOnce,
  neverEarly,
  settledAsTheyBecameDue,
  endedIsNotHandedOver,
  noneAfterOptOut,
  oneDeliveryPerEvent,
  everyTransitionIsTold,
  attemptsAreCounted,
  everyDeliveryEnds,
  createdIsThere,
  dealEventsMatchTransitions,
  dealsAreRegisters,
  contactsKeepWhatWasMerged,
  oneRunAtATime,
  startedOnceEach,
  eachSentenceOnce,
  everyRunGoesOn,
  takenInOnce,
  mediaIsAsAsked,
  arrivedMediaIsThere,
  noMoreThanAllowed,
  windowsAreWrittenDown,
  parkedDeliveriesComeBack,
  everyChannelIsProbed,
  noKeyedCallHasTwoEffects,
  everyStageOfADealIsTold,
  everyConversationIsListed,
  listsShowWhatWasAcknowledged,
};
