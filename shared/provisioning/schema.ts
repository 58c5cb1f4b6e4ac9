/**
 * The schema of a provisioning file (C12.13), entry by entry.
 * Everything but `ref` may be left out here: whether a property is required is known only where
 * the stored organization is (actors/domain/organization/apply). Unknown properties are problems,
 * so that a typo never passes silently.
 */
import { isSupportedCountry } from 'libphonenumber-js/max';
import * as v from 'valibot';
import { CONTRACT_EVENTS, EVERY_CONTRACT_EVENT, EXTENSION_EVENTS } from '../events.ts';
import { PIPELINE_NAME_MAX_CHARS, RATE_LIMIT_MAX_CALLS, TAG_MAX_CHARS } from '../limits.ts';
import { ACCESSES, MEMBER_ROLES, PROVIDERS, SCOPES } from '../vocabulary.ts';
import { flowIssues } from './flow.ts';
import { triggerSchema } from './flow-triggers.ts';
import { messageFor } from './problem-message.ts';
import {
  duration,
  email,
  flag,
  LIBRARY_FILE_MAX_BYTES,
  matching,
  moment,
  NOT_TEXT,
  name,
  networkUrl,
  objectMessage,
  oneOf,
  ref,
  reference,
  SETTING_MAX_CHARS,
  text,
  timeZone,
  webUrl,
  wholeNumber,
} from './values.ts';

const PAIR_BURST_MAX = 1_000_000;
const SECRET_MAX_CHARS = 200;

const entryHead = { ref, remove: flag };
const setting = v.exactOptional(text(SETTING_MAX_CHARS));
const calls = v.exactOptional(v.nullable(wholeNumber(1, RATE_LIMIT_MAX_CALLS)));

const perSecond = v.pipe(
  v.number(messageFor('notNumber', {})),
  v.gtValue(0, messageFor('notPositive', {})),
  v.finite(messageFor('notNumber', {})),
);

export const paceSchema = v.strictObject(
  {
    perSecond: v.exactOptional(perSecond),
    pairBurst: v.exactOptional(wholeNumber(1, PAIR_BURST_MAX)),
    pairEvery: v.exactOptional(duration),
  },
  objectMessage,
);

const pace = v.exactOptional(paceSchema);

/** Both networks' settings; a later check decides which of them the provider allows. */
export const networkSchema = v.strictObject(
  {
    baseUrl: v.exactOptional(networkUrl),
    apiVersion: v.exactOptional(matching(/^v\d{1,3}\.\d{1,3}$/, messageFor('notApiVersion', {}))),
    phoneNumberId: setting,
    businessAccountId: v.exactOptional(
      matching(/^[A-Za-z0-9_-]{1,64}$/, messageFor('notAccountId', {})),
    ),
    accessToken: setting,
    appSecret: setting,
    verifyToken: setting,
    session: setting,
    apiKey: setting,
    webhookSecret: setting,
    pace,
  },
  objectMessage,
);

export const memberSchema = v.strictObject(
  { ...entryHead, name, email, role: v.exactOptional(oneOf(MEMBER_ROLES)) },
  objectMessage,
);

export const channelSchema = v.strictObject(
  {
    ...entryHead,
    label: name,
    provider: v.exactOptional(oneOf(PROVIDERS)),
    phone: v.exactOptional(v.pipe(v.string(NOT_TEXT), v.title('phone number'))),
    enabled: flag,
    network: v.exactOptional(networkSchema),
    pace,
  },
  objectMessage,
);

export const keySchema = v.strictObject(
  {
    ...entryHead,
    name,
    scope: v.exactOptional(oneOf(SCOPES)),
    channel: reference,
    access: v.exactOptional(oneOf(ACCESSES)),
    expiresAt: v.exactOptional(v.nullable(moment)),
    assistant: flag,
    token: v.exactOptional(
      v.pipe(
        matching(/^[\x21-\x7e]{24,200}$/, messageFor('notToken', {})),
        v.title('24 to 200 printable characters'),
      ),
    ),
  },
  objectMessage,
);

export const tagSchema = v.strictObject({ ref: text(TAG_MAX_CHARS), remove: flag }, objectMessage);

const stageSchema = v.strictObject({ ref, name: text(PIPELINE_NAME_MAX_CHARS) }, objectMessage);

const stages = v.pipe(
  v.array(stageSchema, messageFor('notList', {})),
  v.minLength(1, messageFor('noStages', {})),
);

/** None is removed by a file. */
export const pipelineSchema = v.strictObject(
  {
    ref,
    name: v.exactOptional(text(PIPELINE_NAME_MAX_CHARS)),
    default: flag,
    stages: v.exactOptional(stages),
    moveTo: v.exactOptional(
      v.pipe(v.record(v.string(), ref, messageFor('notObject', {})), v.title('object of refs')),
    ),
  },
  objectMessage,
);

const steps = v.pipe(
  v.array(
    v.record(v.string(), v.unknown(), messageFor('notObject', {})),
    messageFor('notSteps', {}),
  ),
  v.minLength(1, messageFor('noSteps', {})),
);

const triggers = v.array(triggerSchema, messageFor('notTriggers', {}));

export const flowSchema = v.pipe(
  v.strictObject(
    {
      ...entryHead,
      name,
      enabled: flag,
      channel: reference,
      isMain: flag,
      triggers: v.exactOptional(triggers),
      steps: v.exactOptional(steps),
    },
    objectMessage,
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const input = dataset.value;
    for (const { path, problem } of flowIssues(input.ref, input.steps ?? [])) {
      const item = (key: string) => ({
        type: 'unknown' as const,
        origin: 'value' as const,
        input,
        key,
        value: undefined,
      });
      addIssue({
        message: messageFor(problem.code, problem.params),
        path: [item('steps'), ...path.split('.').map(item)],
      });
    }
  }),
);

/** The command line replaces `path` by the digest and size of the uploaded file. */
export const fileSchema = v.strictObject(
  {
    ...entryHead,
    name,
    mimeType: v.exactOptional(
      v.pipe(
        matching(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/, messageFor('notMediaType', {})),
        v.title('media type'),
      ),
    ),
    path: v.exactOptional(v.pipe(text(SETTING_MAX_CHARS), v.title('path'))),
    contentDigest: v.exactOptional(matching(/^[0-9a-f]{64}$/, messageFor('notDigest', {}))),
    sizeBytes: v.exactOptional(wholeNumber(0, LIBRARY_FILE_MAX_BYTES)),
  },
  objectMessage,
);

const eventName = oneOf([EVERY_CONTRACT_EVENT, ...CONTRACT_EVENTS, ...EXTENSION_EVENTS]);

const events = v.pipe(
  v.array(eventName, messageFor('notEvents', {})),
  v.minLength(1, messageFor('noEvents', {})),
);

export const subscriptionSchema = v.strictObject(
  {
    ...entryHead,
    url: v.exactOptional(webUrl),
    events: v.exactOptional(events),
    secret: v.exactOptional(text(SECRET_MAX_CHARS)),
    enabled: flag,
  },
  objectMessage,
);

const country = v.pipe(
  v.string(NOT_TEXT),
  v.check((code) => isSupportedCountry(code), messageFor('notCountry', {})),
  v.title('country code'),
);

export const limitsSchema = v.strictObject({ perKey: calls, perOrg: calls }, objectMessage);

const list = v.exactOptional(v.array(v.unknown(), messageFor('notList', {})));

/** An organization with its lists still unread: they are read entry by entry. */
export const organizationSchema = v.strictObject(
  {
    ...entryHead,
    name,
    timeZone: v.exactOptional(timeZone),
    country: v.exactOptional(country),
    limits: v.exactOptional(limitsSchema),
    members: list,
    channels: list,
    keys: list,
    tags: list,
    pipelines: list,
    flows: list,
    files: list,
    subscriptions: list,
  },
  objectMessage,
);

export type ProvisionedHead = v.InferOutput<typeof organizationSchema>;
export type ProvisionedMember = v.InferOutput<typeof memberSchema>;
export type ProvisionedChannel = v.InferOutput<typeof channelSchema>;
export type ProvisionedKey = v.InferOutput<typeof keySchema>;
export type ProvisionedTag = v.InferOutput<typeof tagSchema>;
export type ProvisionedPipeline = v.InferOutput<typeof pipelineSchema>;
export type ProvisionedFlow = v.InferOutput<typeof flowSchema>;
export type ProvisionedFile = v.InferOutput<typeof fileSchema>;
export type ProvisionedSubscription = v.InferOutput<typeof subscriptionSchema>;
