/** Commands about quick replies to `organization`, key = organization id. */

/** A text that attendants insert into an answer. */
export interface QuickReply {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export interface ListQuickReplies {
  readonly id: string;
  readonly type: 'quick-replies.list';
}

/** The quick reply takes the command's id. */
export interface CreateQuickReply extends QuickReply {
  readonly type: 'quick-replies.create';
}

export interface RemoveQuickReply {
  readonly id: string;
  readonly type: 'quick-replies.remove';
  readonly quickReplyId: string;
}

export type QuickReplyCommand = ListQuickReplies | CreateQuickReply | RemoveQuickReply;
