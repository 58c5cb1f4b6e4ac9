/** Members of the measured organization, and their sessions by single-use links. */
import * as v from 'valibot';
import type { BenchService } from '../service.ts';

/** Below the sessions that one member may have. */
const SESSIONS_PER_MEMBER = 10;

const LinkSchema = v.object({ url: v.string() });

function refOf(member: number): string {
  return `member-${member}`;
}

/** Opens as many sessions; resolves with the `name=value` of their cookies. */
export async function signInMany(
  service: BenchService,
  { org, sessions }: { readonly org: string; readonly sessions: number },
): Promise<readonly string[]> {
  const members = Array.from({ length: Math.ceil(sessions / SESSIONS_PER_MEMBER) }, (_, at) => ({
    ref: refOf(at),
    name: `Member ${at}`,
    email: `${refOf(at)}@example.com`,
    role: 'attendant',
  }));
  await service.apply({ orgs: [{ ref: org, name: `Bench ${org}`, members }] });
  const cookies: string[] = [];
  for (let at = 0; at < sessions; at++) {
    const member = refOf(at % members.length);
    cookies.push(await signIn(service, await linkOf(service, org, member)));
  }
  return cookies;
}

async function linkOf(service: BenchService, org: string, member: string): Promise<URL> {
  const made = await service.recado('panel', 'link', '--org', org, '--member', member);
  return new URL(v.parse(LinkSchema, made).url);
}

/** As the page does: the link's fragment is exchanged for a cookie. */
async function signIn(service: BenchService, link: URL): Promise<string> {
  const answer = await fetch(`${panelUrlOf(service)}/panel/api/link`, {
    method: 'POST',
    headers: {
      'x-recado-panel': '1',
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ token: link.hash.slice(1) }),
  });
  const [cookie = ''] = answer.headers.getSetCookie();
  if (!answer.ok || cookie === '') throw new Error(`a link was answered with ${answer.status}`);
  return cookie.split(';')[0] ?? '';
}

export function panelUrlOf(service: BenchService): string {
  const { panelUrl } = service.run();
  if (!panelUrl) throw new Error('the service runs no panel');
  return panelUrl;
}
