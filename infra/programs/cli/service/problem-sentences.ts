/** Problems of a provisioning file in English, for the terminal. */
import { type Sentences, sentenceOf } from '../../../../shared/problems/coded.ts';
import type {
  FlowPlace,
  NameKind,
  Problem,
  ProblemParams,
} from '../../../../shared/problems/provisioning.ts';

const KINDS: Readonly<Record<NameKind, string>> = {
  member: 'member',
  file: 'file',
  flow: 'flow',
  stage: 'stage',
  tag: 'tag',
  channel: 'channel',
  choice: 'button or row',
};
const NEW_TAGS = " (new ones are declared in the organization's tags)";

/** `flow "welcome", step "ask", next` */
function placeIn({ flow, step, field }: FlowPlace): string {
  const name = typeof step === 'number' ? `step number ${step}` : `step "${step}"`;
  const parts = [
    `flow "${flow}"`,
    ...(step === null ? [] : [name]),
    ...(field === null ? [] : [field]),
  ];
  return parts.join(', ');
}

function meantIn(meant: string | null): string {
  return meant === null ? '' : `; did you mean "${meant}"?`;
}

const PROBLEMS: Sentences<ProblemParams> = {
  foreign: ({ text }) => text,
  inFlow: ({ place, problem }) => `${placeIn(place)}: ${tell(problem)}`,
  hinted: ({ problem, hint }) => `${tell(problem)}; ${tell(hint)}`,
  didYouMean: ({ name }) => `did you mean ${name}?`,
  standsIn: ({ name }) => `it stands in ${name}`,
  thereAre: ({ names }) => `there are: ${names.join(', ')}`,

  unknownName: ({ kind, name, known, more, meant }) => {
    const others = more > 0 ? ` and ${more} more` : '';
    const there = known.length === 0 ? 'there are none' : `there are: ${known.join(', ')}${others}`;
    return `names no ${KINDS[kind]} "${name}"; ${there}${meantIn(meant)}${kind === 'tag' ? NEW_TAGS : ''}`;
  },
  unknownVariable: ({ name, known, meant }) => {
    const there = known.length === 0 ? 'there are none' : `there are: ${known.join(', ')}`;
    return `names no variable "${name}"; ${there}${meantIn(meant)}`;
  },
  nothingInside: ({ name, within }) => `names no variable "${name}": nothing lies in "${within}"`,
  noStep: ({ id, meant }) => `no step has the id "${id}"${meantIn(meant)}`,
  noChannel: ({ name }) => `no channel "${name}"`,

  required: () => 'is required',
  requiredNext: () => 'is required: the flow has a dead end here',
  requiredOneOf: ({ names }) => `is required: one of ${names.join(', ')}`,
  requiredForNew: () => 'is required for a new entry',
  requiredForNewOrganization: () => 'is required for a new organization',
  unknownProperty: () => 'is not a known property',
  notQuoted: () => 'must be text (put numbers in quotes)',
  notText: () => 'must be text',
  controlCharacters: () => 'must not have control characters',
  empty: () => 'must not be empty',
  notObject: () => 'must be an object',
  notList: () => 'must be a list',
  notFlag: () => 'must be true or false',
  notNumber: () => 'must be a number',
  notWhole: () => 'must be a whole number',
  notPositive: () => 'must be more than 0',
  tooSmall: ({ least }) => `must be at least ${least}`,
  tooLarge: ({ most }) => `must be at most ${most}`,
  tooLong: ({ most }) => `must be at most ${most} characters`,
  textTooLong: ({ most }) => `must be at most ${most} characters`,
  notOneOf: ({ names }) => `must be one of ${names.join(', ')}`,
  reservedNames: ({ names }) => `must not use the names ${names.join(', ')}`,
  notRef: () =>
    'must be 1 to 64 letters, digits, ".", "_" or "-", beginning with a letter or digit',
  notStepId: () => 'must be 1 to 64 letters, digits, "-" or "_", as text',
  notAnswerName: () => 'must be a name of at most 40 letters, digits or "_"',
  notAnswerPath: () => 'must name an answer, such as order.status',
  notLongDuration: () => 'must be a duration such as 6s, 2h or 3d',
  notDuration: () => 'must be a duration such as 6s',
  noDuration: () => 'must be longer than nothing',
  notTimeOfDay: () => 'must be a time of day such as 09:00',
  notMoment: () => 'must be a time such as 2030-01-31T23:59:59Z',
  notAhead: () => 'must be in the future',
  notHeaderName: () => 'must be a header name',
  ownHeader: () => 'is a header that a step does not set',
  notTimeZone: () => 'must be an IANA time zone name',
  notWebUrl: () => 'must be an http or https URL',
  notNetworkUrl: () => 'must be an http or https URL, or the word sandbox',
  notEmail: () => 'must be an e-mail address, or empty',

  notPointer: () => "must be a step's id, or null to end the flow",
  notStepName: () => "must be a step's id",
  repeatedStepId: ({ index }) => `is already the id of step ${index}`,
  tooManySteps: ({ most }) => `at most ${most} steps`,
  tooManyAnswers: ({ most }) => `a flow keeps at most ${most} answers`,
  tooManyEntries: ({ most }) => `a step holds at most ${most} entries`,
  unreachable: () => 'no way leads to this step',
  busyLoop: ({ step }) => `leads back to step "${step}" without a wait or a delay on the way`,
  notSteps: () => 'must be a list of steps',
  noSteps: () => 'must have at least one step',
  notTriggers: () => 'must be a list of triggers',
  notTags: () => 'must be a list of tags',
  noTags: () => 'must name at least one tag',
  tooManyTagsNamed: ({ most }) => `must name at most ${most} tags`,
  noDays: () => 'must name at least one day',
  noContent: ({ names }) => `must say text or file, or one of ${names.join(', ')}`,
  doesNotGoWith: ({ name }) => `does not go with ${name}`,
  typingTooLong: ({ seconds }) => `typing needs a for of at most ${seconds}s`,
  idleTyping: () => 'needs a next step that sends',
  forOrUntil: () => 'must say either for or until',
  timeoutNeeded: () => 'onTimeout needs a timeout',
  dueInDaysNeeded: () => 'dueTime needs dueInDays',
  titleNeeded: () => 'create needs a title',
  stageNeeded: () => 'move needs a stage',
  statusNeeded: () => 'close needs a status',
  lostReasonAlone: () => 'lostReason goes with status lost, and only with it',
  optNext: () => 'opting in leads to a next step; opting out ends the flow: say goodbye before it',
  mustStay: ({ ref }) => `must stay "${ref}"`,
  notRemovedHere: () => 'a flow is not removed here',

  textOrFile: () => 'must say either text or file',
  notLanguage: () => 'must be a language such as pt_BR',
  liquidInName: () => 'is sent as it is written, without Liquid',
  notValues: () => 'must be a list of texts, or texts by name (put numbers in quotes)',
  tooManyTextsHeld: ({ most }) => `must hold at most ${most} texts`,
  notButtons: () => 'must be a list of buttons',
  noButtons: () => 'must hold at least one button',
  tooManyButtons: ({ most }) => `must hold at most ${most} buttons`,
  notRows: () => 'must be a list of rows',
  noRows: () => 'must hold at least one row',
  tooManyRows: ({ most }) => `must hold at most ${most} rows in all`,
  notSections: () => 'must be a list of sections',
  noSections: () => 'must hold at least one section',
  untitledSections: () => 'must have titles where it has several sections',
  repeatedId: () => 'must not repeat an id',
  repeatedTitle: () => 'must not repeat a title',
  repeatedIndex: () => 'must not repeat an index',
  notDegrees: ({ most }) => `must be degrees from -${most} to ${most}, or a template`,
  notEmoji: () => 'must be one emoji',
  notPhones: () => 'must be a list of phones',
  noPhones: () => 'must hold at least one phone',
  tooManyPhones: ({ most }) => `must hold at most ${most} phones`,
  notContacts: () => 'must be a list of contacts',
  noContacts: () => 'must hold at least one contact',
  tooManyContacts: ({ most }) => `must hold at most ${most} contacts`,
  notOnWeb: ({ content }) =>
    `a web channel, the only one of this flow, sends no ${content} message`,

  tooDeep: () => 'lies too deep',
  notCases: () => 'must be a list of cases',
  noCases: () => 'must hold at least one case',
  tooManyCases: ({ most }) => `must hold at most ${most} cases`,
  notConditions: () => 'must be a list of conditions',
  noConditions: () => 'must hold at least one condition',
  tooManyConditions: ({ most }) => `must hold at most ${most} conditions`,
  notTexts: () => 'must be a list of texts',
  tooManyTexts: ({ most }) => `at most ${most} texts`,
  notHours: () => 'must look like 09:00-18:00',
  notListOf: ({ names }) => `must be a list of ${names.join(', ')}`,
  unclearSubject: ({ names }) => `must ask for exactly one of ${names.join(', ')}`,
  unfitComparison: ({ names }) =>
    `an answer or a field takes exactly one of ${names.join(', ')}, nothing else takes any`,
  chosenOfField: () => 'chosen goes with an answer, and not with a field',

  notTemplate: ({ fault }) => `is no template: ${tell(fault)}`,
  liquidTag: ({ name, place }) => `tag "${name}" not found${place}`,
  liquidTagOpen: ({ tag, place }) => `tag ${tag} not closed${place}`,
  liquidOutputOpen: ({ output, place }) => `output "${output}" not closed${place}`,
  liquidFilter: ({ name }) => `undefined filter: ${name}`,
  liquidToken: ({ token }) => `unexpected token ${token}`,
  liquidValue: ({ expression }) => `invalid value expression: ${expression}`,

  noAnchor: ({ name }) => `Nothing before has the anchor ${name}`,
  tooManyAliases: ({ most }) => `There are more than ${most} aliases`,
  aliasInside: ({ name }) => `The alias ${name} lies inside of what it names`,
  aliasesRepeated: ({ name }) => `${name} repeats what its aliases name too often`,
  emptyText: ({ name }) => `${name} is empty: it must hold orgs`,
  yaml: ({ code, text, ends }) => {
    const fault = code === 'MULTIPLE_DOCS' ? 'The file holds several documents' : text;
    return ends ? `${fault}; the file ends there: is it whole?` : fault;
  },

  notOrganizations: () => 'must be a list of organizations',
  refUsedBy: ({ ref, place }) => `"${ref}" is already used by ${place}`,
  usedBy: ({ place }) => `is already used by ${place}`,
  tokenGivenAt: ({ place }) => `the same token is already given at ${place}`,
  numberGivenAt: ({ place }) => `the same number is already given at ${place}`,
  fileTooLarge: ({ maxBytes }) => `is larger than ${maxBytes} bytes`,
  fileUnreadable: ({ reason }) => `the file cannot be read${reason === null ? '' : ` (${reason})`}`,

  notApiVersion: () => 'must look like v26.0',
  notAccountId: () => 'must be 1 to 64 letters, digits, "-" or "_"',
  notToken: () => 'must be 24 to 200 printable ASCII characters',
  notMediaType: () => 'must be a media type such as image/png',
  notDigest: () => 'must be a SHA-256, lower-case hex',
  notEvents: () => 'must be a list of event names',
  noEvents: () => 'must name at least one event',
  notCountry: () => 'must be an ISO 3166 alpha-2 country code',
  settingOfOther: ({ provider }) => `is not a setting of the provider ${provider}`,
  settingRequired: ({ provider }) => `is required by the provider ${provider}`,
  paceTwice: () => 'is given in network.pace as well',
  notPhone: () => 'is not a phone number',
  tokenRepeated: () => 'is already the token of a key',
  tokenTaken: () => 'is already in use',
  channelOfAccountKey: () => 'is not for a key of the scope account',
  channelRequired: () => 'is required for a key of the scope channel',
  tooManyMembers: ({ most }) => `are ${most} at most`,
  full: ({ most }) => `are ${most} already`,
  lastAdmin: () => 'is the last admin, and one has to remain',
  noStages: () => 'must have at least one stage',
  repeatedName: ({ name }) => `"${name}" is already taken in the pipeline`,
  oneDefault: () => 'is to be true for exactly one pipeline',
  stageHasDeals: ({ ref }) =>
    `leave out the stage "${ref}", which has deals: name in moveTo the stage that takes them`,
  tooManyTags: ({ most }) => `would be more than the ${most} that an organization can have`,
  numberHeld: ({ channel, organization }) =>
    `is already that of channel "${channel}"${organization === null ? '' : ` of organization "${organization}"`}`,
  numberTaken: () => 'was taken by another organization at this moment: apply again',
  cannotRemove: ({ ref, namedBy }) => {
    const names = namedBy.map((each) => ('key' in each ? `key "${each.key}"` : placeIn(each)));
    return `"${ref}" cannot be removed: it is named by ${names.join('; ')}`;
  },
  unverifiableSecret: ({ prefix, minBytes, maxBytes }) =>
    `must have padded base64 of ${minBytes} to ${maxBytes} bytes after ${prefix}`,
};

/** Whether it is a problem of this version. */
export function isProblem(value: unknown): value is Problem {
  const code: unknown = Reflect.get(Object(value), 'code');
  return typeof code === 'string' && Object.hasOwn(PROBLEMS, code);
}

export function tell(problem: Problem): string {
  return sentenceOf(PROBLEMS, problem);
}
