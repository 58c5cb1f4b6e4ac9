/** Routing table of the panel: the public rows that a session may call, and the panel's own. */
import type { ApiRoute } from '../route.ts';
import { HEALTH_ROUTES } from '../routes/health.ts';
import { ROUTES, routeFinder } from '../routes.ts';
import type { PanelRoute } from './panel.ts';
import { CHANNEL_ROUTES } from './routes/channels.ts';
import { CONVERSATION_ROUTES } from './routes/conversations.ts';
import { CRM_ROUTES } from './routes/crm.ts';
import { DELIVERY_ROUTES } from './routes/deliveries.ts';
import { FILE_ROUTES } from './routes/files.ts';
import { FLOW_ROUTES } from './routes/flows.ts';
import { INBOUND_CALL_ROUTES } from './routes/inbound-calls.ts';
import { KEY_ROUTES } from './routes/keys.ts';
import { LIVE_ROUTES } from './routes/live.ts';
import { OPERATION_ROUTES } from './routes/operation.ts';
import { ORGANIZATION_ROUTES } from './routes/organizations.ts';
import { QUICK_REPLY_ROUTES } from './routes/quick-replies.ts';
import { RECENT_EVENT_ROUTES } from './routes/recent-events.ts';
import { SESSION_ROUTES } from './routes/session.ts';
import { SIGN_IN_ROUTES } from './routes/sign-in.ts';
import { STREAM_ROUTES } from './routes/streams.ts';
import { SUBSCRIPTION_ROUTES } from './routes/subscriptions.ts';
import { TEAM_ROUTES } from './routes/team.ts';

const PUBLIC: readonly ApiRoute[] = ROUTES.filter((route) => route.entrance === 'api');

export const PANEL_ROUTES: readonly PanelRoute[] = [
  ...HEALTH_ROUTES,
  ...PUBLIC,
  ...SIGN_IN_ROUTES,
  ...SESSION_ROUTES,
  ...LIVE_ROUTES,
  ...ORGANIZATION_ROUTES,
  ...CONVERSATION_ROUTES,
  ...FILE_ROUTES,
  ...TEAM_ROUTES,
  ...CRM_ROUTES,
  ...QUICK_REPLY_ROUTES,
  ...CHANNEL_ROUTES,
  ...KEY_ROUTES,
  ...SUBSCRIPTION_ROUTES,
  ...STREAM_ROUTES,
  ...DELIVERY_ROUTES,
  ...FLOW_ROUTES,
  ...INBOUND_CALL_ROUTES,
  ...RECENT_EVENT_ROUTES,
  ...OPERATION_ROUTES,
];

export const findPanelRoute = routeFinder(PANEL_ROUTES);
