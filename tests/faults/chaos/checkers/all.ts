/** Every checker under its name. */
import { checkBridge } from './bridge.ts';
import type { Checker } from './checker.ts';
import { checkContacts } from './contacts.ts';
import { checkDeals } from './deals.ts';
import { checkDeliveries } from './deliveries.ts';
import { checkFlows } from './flows.ts';
import { checkInbound } from './inbound.ts';
import { checkLimits } from './limits.ts';
import { checkLiveness } from './liveness.ts';
import { checkNetwork } from './network.ts';
import { checkOnce } from './once.ts';
import { checkReads } from './reads.ts';
import { checkScheduled } from './scheduled.ts';
import { checkSends } from './sends.ts';

export const CHECKERS: Readonly<Record<string, Checker>> = {
  'send-list': checkSends,
  'read-back': checkReads,
  network: checkNetwork,
  bridge: checkBridge,
  'deal-register': checkDeals,
  'flow-race': checkFlows,
  'contact-merge': checkContacts,
  deliveries: checkDeliveries,
  inbound: checkInbound,
  scheduled: checkScheduled,
  limits: checkLimits,
  once: checkOnce,
  liveness: checkLiveness,
};
