/** Code that checks the signature of an event, by the manner of Standard Webhooks. */
import type { Code } from './call-examples.ts';

const TYPESCRIPT = `import { createHmac, timingSafeEqual } from 'node:crypto';

/** \`body\`: os bytes recebidos, antes de qualquer leitura como JSON. */
export function isGenuine(secret: string, headers: Headers, body: Buffer): boolean {
  const id = headers.get('webhook-id') ?? '';
  const timestamp = headers.get('webhook-timestamp') ?? '';
  if (!/^\\d{1,11}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret;
  const signed = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(body);
  const wanted = Buffer.from(\`v1,\${signed.digest('base64')}\`);
  return (headers.get('webhook-signature') ?? '').split(' ').some((each) => {
    const given = Buffer.from(each);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}`;

const PYTHON = `import base64
import hashlib
import hmac
import re
import time


def is_genuine(secret, headers, body):
    """body: os bytes recebidos, antes de qualquer leitura como JSON."""
    id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,11}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()
    signed = f"{id}.{timestamp}.".encode(errors="replace") + body
    wanted = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(each.encode(errors="replace"), wanted) for each in given)`;

export const VERIFICATION: readonly Code[] = [
  { language: 'TypeScript', text: TYPESCRIPT },
  { language: 'Python', text: PYTHON },
];
