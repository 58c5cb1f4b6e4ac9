/**
 * A subscriber as a process of its own. It records every request before it answers, so that killing
 * it loses no request. It refuses some, which must be repeated. Arguments: port, file.
 */
import { openSync, writeSync } from 'node:fs';
import { record } from '../../../support/stand-ins/server.ts';
import { now } from './recorder.ts';

const REFUSED_SHARE = 0.05;

const [, , port = '', file = ''] = process.argv;
const journal = openSync(file, 'a');

await record(
  ({ headers, bytes }) => {
    const answered = Math.random() < REFUSED_SHARE ? 503 : 200;
    const body = {
      delivery: String(headers['x-service-delivery']),
      event: String(headers['x-service-event']),
      bytes: bytes.toString('base64'),
      signature: String(headers['x-service-signature']),
      answered,
    };
    const recorded = { process: 'subscriber', op: 'received', type: 'ok', t: now(), body };
    writeSync(journal, `${JSON.stringify(recorded)}\n`);
    return answered;
  },
  { port: Number(port) },
);
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
