/**
 * Graph's answers about tokens, accounts and the app itself. All numbers of the simulator belong
 * to one app: the secret of each of its channels is the app's.
 */
import type { Exchange } from '../../http/exchange.ts';
import type { SimulatorState } from '../../state/simulator-state.ts';
import { TEMPLATE_FIELDS } from '../../webhooks/template-events.ts';
import { invalidToken, jsonReply, type Reply } from '../schema/errors.ts';
import { PROFILE } from '../token-scopes.ts';

export const APP_ID = '2';
const FIELDS = ['account_update', 'calls', 'messages', 'smb_message_echoes', ...TEMPLATE_FIELDS];
const OBJECT = 'whatsapp_business_account';
const VERSION = 'v26.0';

interface Asked {
  readonly object: string;
  readonly edge: string;
}

/** Webhooks of the app, for its own token `{id}|{secret}`; null for any other question. */
export async function answerAsApp(
  simulator: SimulatorState,
  { method }: Exchange,
  { object, edge, token }: Asked & { readonly token: string },
): Promise<Reply | null> {
  if (`${method} ${object} ${edge}` !== `GET ${APP_ID} subscriptions`) return null;
  const secret = token.startsWith(`${APP_ID}|`) ? token.slice(APP_ID.length + 1) : '';
  const channel = await simulator.directory.find((set) => set.withAppSecret(secret));
  if (channel === undefined) return invalidToken();
  const fields = FIELDS.map((name) => ({ name, version: VERSION }));
  const about = { object: OBJECT, callback_url: channel.webhookUrl, active: true };
  return jsonReply({ data: [{ ...about, fields }] });
}

/** A token about itself, and the apps of an account; null for any other question. */
export async function answerOfToken(
  simulator: SimulatorState,
  { method, query }: Exchange,
  { object, edge }: Asked,
): Promise<Reply | null> {
  if (method !== 'GET') return null;
  if (edge === 'subscribed_apps' && simulator.directory.known().byAccount(object).length > 0) {
    const app = { id: APP_ID, name: 'Sandbox', link: 'https://sandbox.invalid/' };
    return jsonReply({ data: [{ whatsapp_business_api_data: app }] });
  }
  if (object !== 'debug_token') return null;
  const token = new URLSearchParams(query).get('input_token') ?? '';
  const known = await simulator.directory.find((set) => set.knowsToken(token) || undefined);
  const common = { app_id: APP_ID, application: 'Sandbox', type: 'SYSTEM_USER' };
  const ends = { data_access_expires_at: 0, expires_at: 0 };
  const scopes = known === undefined ? [] : simulator.scopes.of(token);
  const granular_scopes = scopes.filter((scope) => scope !== PROFILE).map((scope) => ({ scope }));
  const valid = { is_valid: known !== undefined, issued_at: 0, scopes, granular_scopes };
  return jsonReply({ data: { ...common, ...ends, ...valid, user_id: '3' } });
}
