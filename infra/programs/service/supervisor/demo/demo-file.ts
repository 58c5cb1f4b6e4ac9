/** Provisioning file of the demo organization. Only a first start loads it, with its parser. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { parse } from 'yaml';

const TemplateSchema = v.object({
  orgs: v.tuple([
    v.looseObject({
      channels: v.tuple([
        v.looseObject({ network: v.looseObject({}) }),
        v.looseObject({ network: v.looseObject({}) }),
      ]),
      keys: v.tuple([v.looseObject({}), v.looseObject({})]),
    }),
  ]),
});

type Secrets = Readonly<
  Record<'accountKey' | 'channelKey' | 'accessToken' | 'appSecret' | 'verifyToken', string> &
    Record<'session' | 'apiKey' | 'webhookSecret', string>
>;

/** `demo.yaml` with the secrets of this installation. */
export function demoFile(root: string, secrets: Secrets) {
  const text = readFileSync(join(root, 'infra/programs/service/supervisor/demo/demo.yaml'), 'utf8');
  const { orgs } = v.parse(TemplateSchema, parse(text));
  const [organization] = orgs;
  const [cloud, web] = organization.channels;
  const [account, channelKey] = organization.keys;
  const { accessToken, appSecret, verifyToken } = secrets;
  const { session, apiKey, webhookSecret } = secrets;
  return {
    orgs: [
      {
        ...organization,
        channels: [
          { ...cloud, network: { ...cloud.network, accessToken, appSecret, verifyToken } },
          { ...web, network: { ...web.network, session, apiKey, webhookSecret } },
        ],
        keys: [
          { ...account, token: secrets.accountKey },
          { ...channelKey, token: secrets.channelKey },
        ],
      },
    ],
  };
}
