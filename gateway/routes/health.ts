/** Health of the process and of its dependencies (C17). */
import * as v from 'valibot';
import { FAILURES } from '../../shared/failures.ts';
import { bodyOf } from '../../shared/wire/answer.ts';
import type { Gateway } from '../gateway.ts';
import { answerReply, jsonReply, type Reply } from '../http/respond.ts';
import { type OpenRoute, openRoute } from '../route.ts';

/** A probe repeats soon: a fast refusal is better than a late success. */
const READY_DEADLINE_MS = 2_000;

const { sentence: UNAVAILABLE } = FAILURES.unavailable;

function notReady(missing: readonly string[]): Reply {
  return jsonReply(FAILURES.unavailable.status, { error: UNAVAILABLE, missing });
}

/** Concurrent probes share one answer; their number is not limited. */
const underWay = new WeakMap<Gateway, Promise<Reply>>();

function readiness(gateway: Gateway, requestId: string): Promise<Reply> {
  const open = underWay.get(gateway);
  if (open) return open;
  const reply = checkReadiness(gateway, requestId).finally(() => underWay.delete(gateway));
  underWay.set(gateway, reply);
  return reply;
}

async function checkReadiness(gateway: Gateway, requestId: string): Promise<Reply> {
  if (!gateway.bus.connected()) return notReady(['nats']);
  if (!gateway.installation.current()) return notReady(['installation']);
  try {
    const deadline = gateway.clock.now() + READY_DEADLINE_MS;
    const answer = await gateway.bus.query('ready', {}, { deadline, requestId });
    if (answer.status !== 200) return answerReply(answer);
    const { missing } = bodyOf(answer);
    return missing.length === 0 ? jsonReply(200, { data: { ready: true } }) : notReady(missing);
  } catch (cause) {
    gateway.log.debug({ cause, requestId }, 'nobody answered for readiness');
    return notReady(['actors']);
  }
}

const ReadyAnswer = v.object({ data: v.object({ ready: v.boolean() }) });
const AliveAnswer = v.object({ data: v.object({ alive: v.boolean() }) });
const NotReadyAnswer = v.object({ error: v.string(), missing: v.array(v.string()) });

export const HEALTH_ROUTES: readonly OpenRoute[] = [
  openRoute({
    method: 'GET',
    path: '/healthz',
    operationId: 'getHealth',
    summary: 'O processo está vivo.',
    description: 'Não consulta nada além do próprio processo.',
    tag: 'Saúde',
    answers: { 200: { description: 'Vivo.', schema: AliveAnswer } },
    answer: () => jsonReply(200, { data: { alive: true } }),
  }),
  openRoute({
    method: 'GET',
    path: '/readyz',
    operationId: 'getReadiness',
    summary: 'O serviço está pronto: tudo de que depende responde.',
    description:
      '`missing` diz o que falta: `nats`, `mongodb`, `installation`, `actors` ou `partitions` ' +
      '(partições sem dono).',
    tag: 'Saúde',
    answers: {
      200: { description: 'Pronto.', schema: ReadyAnswer },
      503: { description: 'Falta o que a lista diz.', schema: NotReadyAnswer },
    },
    answer: (gateway, { requestId }) => readiness(gateway, requestId),
  }),
];
