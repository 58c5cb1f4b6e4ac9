/** Where mails go: the SMTP server that is named, else a folder. */
import { access, constants } from 'node:fs/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { Config } from '../../../config/config.ts';
import { type Check, fail, pass, sentenceOf, TIMEOUT_MS } from './check.ts';

const NAME = 'mail';
const SUBMISSION_PORT = 587;
const TLS_PORT = 465;

export async function checkMail({
  smtpUrl,
  dataDir,
}: Pick<Config, 'smtpUrl' | 'dataDir'>): Promise<Check> {
  return smtpUrl === undefined ? await checkFolder(dataDir) : await checkServer(smtpUrl);
}

async function checkServer(smtpUrl: string): Promise<Check> {
  const { protocol, hostname, port } = new URL(smtpUrl);
  const secure = protocol === 'smtps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const place = { host, port: Number(port) || (secure ? TLS_PORT : SUBMISSION_PORT) };
  const where = `${place.host}:${place.port}`;
  try {
    const socket = secure ? connectTls({ ...place, servername: host }) : connectTcp(place);
    const greeting = await firstLine(socket);
    return greeting.startsWith('220')
      ? pass(NAME, `${where} answers`)
      : fail(NAME, `${where} says "${greeting}"`, 'Name a mail server in SMTP_URL.');
  } catch (cause) {
    return fail(
      NAME,
      `${where} cannot be reached: ${sentenceOf(cause)}.`,
      'Correct SMTP_URL, or see to the mail server.',
    );
  }
}

function firstLine(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  socket.setEncoding('utf8');
  socket.setTimeout(TIMEOUT_MS, () => reject(new Error('no answer in time')));
  socket.on('data', (chunk) => {
    text += chunk;
    const [line] = text.split('\r\n');
    if (text.includes('\n') && line !== undefined) resolve(line.trim());
  });
  socket.once('error', reject);
  socket.once('end', () => reject(new Error('it closed the connection')));
  return promise.finally(() => socket.destroy());
}

/** The folder is created on demand: its nearest existing parent must be writable. */
async function checkFolder(dataDir: string): Promise<Check> {
  const wanted = join(dataDir, 'mail');
  for (let folder = wanted; ; folder = dirname(folder)) {
    try {
      await access(folder, constants.W_OK | constants.X_OK);
      return pass(NAME, `no SMTP_URL: mails are written to ${wanted}`);
    } catch (cause) {
      const missing = Reflect.get(Object(cause), 'code') === 'ENOENT';
      if (missing && folder !== dirname(folder)) continue;
      return fail(
        NAME,
        `Mails cannot be written to ${wanted}: ${sentenceOf(cause)}.`,
        'Make DATA_DIR writable, or name a mail server in SMTP_URL.',
      );
    }
  }
}
