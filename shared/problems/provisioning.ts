/**
 * What `recado apply` finds wrong in a provisioning file. The text of one flow in the panel's
 * editor is such a file too.
 */
import type { Coded, Foreign, None } from './coded.ts';
import type { YamlCode } from './yaml-codes.ts';

export type ProblemCode = keyof ProblemParams;
export type Problem = Coded<ProblemParams>;

export interface ProblemAt {
  /** Joined with dots, indexes from 0 on; empty for the whole input. */
  readonly path: string;
  readonly problem: Problem;
}

/** Where a flow has a problem, or names something. */
export interface FlowPlace {
  readonly flow: string;
  /** Its id, or its index where it has none; null for a place outside of the steps. */
  readonly step: string | number | null;
  /** Null for the step as a whole. */
  readonly field: string | null;
}

export type Naming = FlowPlace | { readonly key: string };
export type Hint = Extract<Problem, { code: 'didYouMean' | 'standsIn' | 'thereAre' }>;
export type LiquidFault = Extract<Problem, { code: 'foreign' | `liquid${string}` }>;

/** What a name should have named; `choice` is a button or a row. */
export type NameKind = 'member' | 'file' | 'flow' | 'stage' | 'tag' | 'channel' | 'choice';

interface UnknownName {
  readonly kind: NameKind;
  readonly name: string;
  readonly known: readonly string[];
  /** How many are known beside them. */
  readonly more: number;
  /** The nearest one. */
  readonly meant: string | null;
}

interface YamlFault {
  readonly code: YamlCode;
  /** The parser's. */
  readonly text: string;
  /** Whether it is at the text's end. */
  readonly ends: boolean;
}

interface Named {
  readonly name: string;
}

interface Listed {
  readonly names: readonly string[];
}

interface Most {
  readonly most: number;
}

interface Placed {
  readonly place: string;
}

interface Provided {
  readonly provider: string;
}

export interface ProblemParams {
  readonly foreign: Foreign;
  readonly inFlow: { readonly place: FlowPlace; readonly problem: Problem };
  readonly hinted: { readonly problem: Problem; readonly hint: Hint };
  readonly didYouMean: Named;
  readonly standsIn: Named;
  readonly thereAre: Listed;

  readonly unknownName: UnknownName;
  readonly unknownVariable: {
    readonly name: string;
    readonly known: readonly string[];
    readonly meant: string | null;
  };
  readonly nothingInside: { readonly name: string; readonly within: string };
  readonly noStep: { readonly id: string; readonly meant: string | null };
  readonly noChannel: Named;

  readonly required: None;
  readonly requiredNext: None;
  readonly requiredOneOf: Listed;
  readonly requiredForNew: None;
  readonly requiredForNewOrganization: None;
  readonly unknownProperty: None;
  readonly notQuoted: None;
  readonly notText: None;
  readonly controlCharacters: None;
  readonly empty: None;
  readonly notObject: None;
  readonly notList: None;
  readonly notFlag: None;
  readonly notNumber: None;
  readonly notWhole: None;
  readonly notPositive: None;
  readonly tooSmall: { readonly least: number };
  readonly tooLarge: { readonly most: number | string };
  readonly tooLong: Most;
  readonly textTooLong: Most;
  readonly notOneOf: Listed;
  readonly reservedNames: Listed;
  readonly notRef: None;
  readonly notStepId: None;
  readonly notAnswerName: None;
  readonly notAnswerPath: None;
  readonly notLongDuration: None;
  readonly notDuration: None;
  readonly noDuration: None;
  readonly notTimeOfDay: None;
  readonly notMoment: None;
  readonly notAhead: None;
  readonly notHeaderName: None;
  readonly ownHeader: None;
  readonly notTimeZone: None;
  readonly notWebUrl: None;
  readonly notNetworkUrl: None;
  readonly notEmail: None;

  readonly notPointer: None;
  readonly notStepName: None;
  readonly repeatedStepId: { readonly index: number };
  readonly tooManySteps: Most;
  readonly tooManyAnswers: Most;
  readonly tooManyEntries: Most;
  readonly unreachable: None;
  readonly busyLoop: { readonly step: string };
  readonly notSteps: None;
  readonly noSteps: None;
  readonly notTriggers: None;
  readonly notTags: None;
  readonly noTags: None;
  readonly tooManyTagsNamed: Most;
  readonly noDays: None;
  readonly noContent: Listed;
  readonly doesNotGoWith: Named;
  readonly typingTooLong: { readonly seconds: number };
  readonly idleTyping: None;
  readonly forOrUntil: None;
  readonly timeoutNeeded: None;
  readonly dueInDaysNeeded: None;
  readonly titleNeeded: None;
  readonly stageNeeded: None;
  readonly statusNeeded: None;
  readonly lostReasonAlone: None;
  readonly optNext: None;
  readonly mustStay: { readonly ref: string };
  readonly notRemovedHere: None;

  readonly textOrFile: None;
  readonly notLanguage: None;
  readonly liquidInName: None;
  readonly notValues: None;
  readonly tooManyTextsHeld: Most;
  readonly notButtons: None;
  readonly noButtons: None;
  readonly tooManyButtons: Most;
  readonly notRows: None;
  readonly noRows: None;
  readonly tooManyRows: Most;
  readonly notSections: None;
  readonly noSections: None;
  readonly untitledSections: None;
  readonly repeatedId: None;
  readonly repeatedTitle: None;
  readonly repeatedIndex: None;
  readonly notDegrees: Most;
  readonly notEmoji: None;
  readonly notPhones: None;
  readonly noPhones: None;
  readonly tooManyPhones: Most;
  readonly notContacts: None;
  readonly noContacts: None;
  readonly tooManyContacts: Most;
  readonly notOnWeb: { readonly content: string };

  readonly tooDeep: None;
  readonly notCases: None;
  readonly noCases: None;
  readonly tooManyCases: Most;
  readonly notConditions: None;
  readonly noConditions: None;
  readonly tooManyConditions: Most;
  readonly notTexts: None;
  readonly tooManyTexts: Most;
  readonly notHours: None;
  readonly notListOf: Listed;
  readonly unclearSubject: Listed;
  readonly unfitComparison: Listed;
  readonly chosenOfField: None;

  readonly notTemplate: { readonly fault: LiquidFault };
  readonly liquidTag: { readonly name: string; readonly place: string };
  readonly liquidTagOpen: { readonly tag: string; readonly place: string };
  readonly liquidOutputOpen: { readonly output: string; readonly place: string };
  readonly liquidFilter: Named;
  readonly liquidToken: { readonly token: string };
  readonly liquidValue: { readonly expression: string };

  readonly noAnchor: Named;
  readonly tooManyAliases: Most;
  readonly aliasInside: Named;
  readonly aliasesRepeated: Named;
  readonly emptyText: Named;
  readonly yaml: YamlFault;

  readonly notOrganizations: None;
  readonly refUsedBy: { readonly ref: string; readonly place: string };
  readonly usedBy: Placed;
  readonly tokenGivenAt: Placed;
  readonly numberGivenAt: Placed;
  readonly fileTooLarge: { readonly maxBytes: number };
  readonly fileUnreadable: { readonly reason: string | null };

  readonly notApiVersion: None;
  readonly notAccountId: None;
  readonly notToken: None;
  readonly notMediaType: None;
  readonly notDigest: None;
  readonly notEvents: None;
  readonly noEvents: None;
  readonly notCountry: None;
  readonly settingOfOther: Provided;
  readonly settingRequired: Provided;
  readonly paceTwice: None;
  readonly notPhone: None;
  readonly tokenRepeated: None;
  readonly tokenTaken: None;
  readonly channelOfAccountKey: None;
  readonly channelRequired: None;
  readonly tooManyMembers: Most;
  readonly full: Most;
  readonly lastAdmin: None;
  readonly noStages: None;
  readonly repeatedName: Named;
  readonly oneDefault: None;
  readonly stageHasDeals: { readonly ref: string };
  readonly tooManyTags: Most;
  readonly numberHeld: { readonly channel: string; readonly organization: string | null };
  readonly numberTaken: None;
  readonly cannotRemove: { readonly ref: string; readonly namedBy: readonly Naming[] };
  readonly unverifiableSecret: {
    readonly prefix: string;
    readonly minBytes: number;
    readonly maxBytes: number;
  };
}
