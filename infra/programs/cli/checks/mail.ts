/** Where mails go: the SMTP server that is named, else a folder. */
import { access, constants } from 'node:fs/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import type { Fault } from '../../../../shared/problems/findings.ts';
import type { Config } from '../../../config/config.ts';
import { failed, passed, sentenceOf, TIMEOUT_MS } from './check.ts';

const NAME = 'mail';
const SUBMISSION_PORT = 587;
const TLS_PORT = 465;
const NAME_SERVER = { code: 'nameMailServer', params: {} } as const;
const CORRECT_URL = { code: 'correctSmtp', params: {} } as const;
const MAKE_WRITABLE = { code: 'makeWritable', params: {} } as const;

export async function checkMail({
  smtpUrl,
  dataDir,
}: Pick<Config, 'smtpUrl' | 'dataDir'>): Promise<DoctorRow> {
  return smtpUrl === undefined ? await checkFolder(dataDir) : await checkServer(smtpUrl);
}

async function checkServer(smtpUrl: string): Promise<DoctorRow> {
  const { protocol, hostname, port } = new URL(smtpUrl);
  const secure = protocol === 'smtps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const place = { host, port: Number(port) || (secure ? TLS_PORT : SUBMISSION_PORT) };
  const where = `${place.host}:${place.port}`;
  try {
    const socket = secure ? connectTls({ ...place, servername: host }) : connectTcp(place);
    const greeting = await firstLine(socket);
    return greeting.startsWith('220')
      ? passed(NAME, { code: 'mailAnswers', params: { where } })
      : failed(NAME, [{ code: 'mailSays', params: { where, greeting } }], NAME_SERVER);
  } catch (cause) {
    const params = { where, cause: faultOf(cause) };
    return failed(NAME, [{ code: 'placeUnreachable', params }], CORRECT_URL);
  }
}

function faultOf(cause: unknown): Fault {
  if (cause instanceof NoGreeting) return { code: cause.code, params: {} };
  return { code: 'foreign', params: { text: sentenceOf(cause) } };
}

class NoGreeting extends Error {
  readonly code: Exclude<Fault['code'], 'foreign'>;

  constructor(code: NoGreeting['code']) {
    super(code);
    this.code = code;
  }
}

function firstLine(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  socket.setEncoding('utf8');
  socket.setTimeout(TIMEOUT_MS, () => reject(new NoGreeting('mailUnanswered')));
  socket.on('data', (chunk) => {
    text += chunk;
    const [line] = text.split('\r\n');
    if (text.includes('\n') && line !== undefined) resolve(line.trim());
  });
  socket.once('error', reject);
  socket.once('end', () => reject(new NoGreeting('mailClosed')));
  return promise.finally(() => socket.destroy());
}

/** The folder is created on demand: its nearest existing parent must be writable. */
async function checkFolder(dataDir: string): Promise<DoctorRow> {
  const wanted = join(dataDir, 'mail');
  for (let folder = wanted; ; folder = dirname(folder)) {
    try {
      await access(folder, constants.W_OK | constants.X_OK);
      return passed(NAME, { code: 'mailsWritten', params: { folder: wanted } });
    } catch (cause) {
      const missing = Reflect.get(Object(cause), 'code') === 'ENOENT';
      if (missing && folder !== dirname(folder)) continue;
      const params = { folder: wanted, cause: sentenceOf(cause) };
      return failed(NAME, [{ code: 'mailsUnwritable', params }], MAKE_WRITABLE);
    }
  }
}
