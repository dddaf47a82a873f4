// What `agentctl app-server` and its clients say to each other. Generated: do not edit.

/** Introduces a client. */
export type InitializeParams = {
  /** Who it is. */
  clientInfo?: ClientInfo | null;
  /** What it wants. */
  capabilities?: Capabilities;
};

/** A client. */
export type ClientInfo = {
  /** Its name. */
  name: string;
  /** Its version. */
  version?: string;
};

/** What a client wants. */
export type Capabilities = {
  /** Every event as it happened, as `thread/event`, besides items. */
  events?: boolean;
};

/** Introduces the server. */
export type InitializeResult = {
  /** Who it is. */
  serverInfo: ClientInfo;
  /** The version of the protocol. */
  protocolVersion: number;
};

/** Nothing. */
export type Empty = { [key: string]: never };

/** The agents there are. */
export type AgentsListResult = {
  /** The agents. */
  data: Array<AgentInfo>;
};

/** An agent of the catalog. */
export type AgentInfo = {
  /** Its kind. */
  agentType: string;
  /** What it is for. */
  description?: string | null;
  /** Whose it is: `builtin`, `user` or `project`. */
  source: string;
  /** The host its file is written for. */
  dialect: string;
  /** Its file. */
  path: string;
  /** The file it is hidden by. */
  shadowedBy?: string | null;
  /** The tools it gets as a main agent. */
  tools: Array<string>;
  /** Its models in order of preference, as far as they are known. */
  models: Array<string>;
  /** What its commands may touch. */
  sandbox?: string | null;
  /** Why it cannot be run. */
  problems: Array<string>;
};

/** Answers a question as a request, for a client that no longer knows who asked it. */
export type ApprovalAnswerParams = {
  /** The question. */
  approvalId: string;
  /** The answer. */
  decision: ApprovalDecision;
};

/** An answer. */
export type ApprovalDecision = "accept" | "acceptForSession" | "decline";

/** What came of that. */
export type ApprovalAnswerResult = {
  /** Whether this was the answer that counts. */
  applied: boolean;
};

/** The modes there are. */
export type CollaborationModeListResult = {
  /** The modes. */
  data: Array<CollaborationModePreset>;
};

/** A mode to choose. */
export type CollaborationModePreset = {
  /** What people call it. */
  name: string;
  /** Its name. */
  mode: string;
  /** The model it brings. */
  model?: string | null;
  /** The effort it brings. */
  reasoning_effort?: string | null;
};

/** Closes a thread and everything below it. */
export type ThreadCloseParams = {
  /** The thread. */
  threadId: string;
};

/** Asks for threads, the newest first. */
export type ThreadListParams = {
  /** How many at most; 50 unless given. */
  limit?: number | null;
  /** Where to go on, from the answer before. */
  cursor?: string | null;
  /** Only those that this one started. */
  parentThreadId?: string | null;
  /** Whether threads that others started are shown, too. */
  includeChildren?: boolean;
};

/** Threads. */
export type ThreadListResult = {
  /** The threads. */
  data: Array<Thread>;
  /** Where to go on, if there are more. */
  nextCursor?: string | null;
};

/** A thread. */
export type Thread = {
  /** Its name. */
  id: string;
  /** The root of its tree. */
  sessionId: string;
  /** The thread that started it. */
  parentThreadId?: string | null;
  /** Its number in its session. */
  agentIndex: number;
  /** How far below the main agent it is. */
  depth: number;
  /** Its kind. */
  agentType: string;
  /** Which of its kind it is. */
  ordinal: number;
  /** Its persona. */
  agentName?: string | null;
  /** What it is doing. */
  status: AgentStatus;
  /** Its label. */
  note?: string | null;
  /** Its model. */
  model?: string | null;
  /** How hard it thinks. */
  reasoningEffort?: string | null;
  /** What its commands may touch. */
  sandbox: string;
  /** Where it works. */
  cwd: string;
  /** Its task in a few words. */
  preview: string;
  /** Tokens it may use. */
  maxJuice?: number | null;
  /** Tokens it has used. */
  usedJuice: number;
  /** Whether it can be told something through this server. */
  isLive: boolean;
  /** When it was made, in milliseconds since 1970. */
  createdAtMs: number;
  /** When it last changed. */
  updatedAtMs: number;
};

/** What an agent is doing. */
export type AgentStatus = "pendingInit" | "running" | "interrupted" | "completed" | "errored" | "shutdown" | "notFound";

/** Labels a thread. */
export type ThreadNoteSetParams = {
  /** The thread. */
  threadId: string;
  /** The label; blank takes it away. */
  note: string;
};

/** A label as it is kept. */
export type ThreadNoteSetResult = {
  /** The label. */
  threadNote?: string | null;
};

/** Asks for a thread, those below it, and what happened to them. */
export type ThreadReadParams = {
  /** The thread. */
  threadId: string;
  /** The number of the first event; from the beginning unless given. */
  fromSeq?: number;
  /** How many events at most; 1,000 unless given. */
  limit?: number | null;
};

/** A thread, those below it, and what happened to them. */
export type ThreadReadResult = {
  /** The thread. */
  thread: Thread;
  /** Those below it, each after the one that started it. */
  descendants: Array<Thread>;
  /** What happened to all of them, as `run --format jsonl` prints it. */
  events: Array<unknown>;
  /** The number of the first event that is not among these. */
  nextSeq: number;
  /** Whether more has happened already. */
  hasMore: boolean;
  /** What someone has to answer now. */
  approvals: Array<ApprovalRequest>;
};

/** Asks a client whether a call may happen. The first answer of any client counts. */
export type ApprovalRequest = {
  /** The question, to tell it from others. */
  approvalId: string;
  /** The thread that asks. */
  threadId: string;
  /** Its turn. */
  turnId?: string | null;
  /** The call. */
  itemId: string;
  /** Where the agent is: the agents from the main one down to it. */
  agentPath: Array<string>;
  /** The tool. */
  tool: string;
  /** Exactly what will happen. */
  detail: string;
};

/** Goes on with a conversation that is in the store. */
export type ThreadResumeParams = {
  /** The thread, or the beginning of its id. */
  threadId: string;
  /** What answers where an approval is needed: `ask` unless given. */
  approvals?: ApprovalPolicy | null;
};

/** What answers where an approval is needed. */
export type ApprovalPolicy = "ask" | "never" | "always";

/** A thread that was started or goes on. */
export type ThreadResult = {
  /** The thread. */
  thread: Thread;
};

/** Starts a conversation with a main agent. */
export type ThreadStartParams = {
  /** The kind of agent; `orchestrator` unless given. */
  agent?: string | null;
  /** Where it works; where the server was started unless given. */
  cwd?: string | null;
  /** Another model than its own. */
  model?: string | null;
  /** How hard it thinks. */
  reasoningEffort?: string | null;
  /** How it works with whoever it talks to. */
  collaborationMode?: CollaborationMode | null;
  /** What answers where an approval is needed: `ask` unless given. */
  approvals?: ApprovalPolicy | null;
  /** What its commands may touch at most: `read_only`, `workspace_write` or `danger_full_access`. */
  sandbox?: string | null;
  /** Its label. */
  note?: string | null;
};

/** How a main agent works with whoever it talks to. Names inside of `settings` are in snake_case. */
export type CollaborationMode = {
  /** `plan`, `pair_programming`, `execute` or `custom`; `default` and `code` mean `execute`. */
  mode: string;
  /** What it changes. */
  settings?: CollaborationSettings;
};

/** What a mode changes. What is not set stays as it was. */
export type CollaborationSettings = {
  /** The model. */
  model?: string | null;
  /** How hard it thinks. */
  reasoning_effort?: string | null;
  /** What it is told besides; the mode's own text unless given. */
  developer_instructions?: string | null;
};

/** Stops what an agent and those below it are doing. */
export type TurnInterruptParams = {
  /** The thread. */
  threadId: string;
  /** The turn; whatever it does now unless given. */
  turnId?: string | null;
};

/** Tells an agent something. */
export type TurnStartParams = {
  /** The thread. */
  threadId: string;
  /** What it is told. */
  input: Array<UserInput>;
  /** How it works from now on: model, effort and instructions. */
  collaborationMode?: CollaborationMode | null;
};

/** Something an agent is told. */
export type UserInput = {
  type: "text";
  /** The words. */
  text: string;
};

/** A turn that has begun, or will after the present one. */
export type TurnStartResult = {
  /** The turn. */
  turn: Turn;
};

/** One run of an agent: from what it is told to its last words. */
export type Turn = {
  /** Its name. */
  id: string;
  /** How it stands. */
  status: TurnStatus;
  /** What went wrong. */
  error?: TurnError | null;
};

/** How a turn stands. */
export type TurnStatus = "inProgress" | "completed" | "interrupted" | "failed";

/** What went wrong. */
export type TurnError = {
  /** What kind of thing. */
  kind: string;
  /** In words. */
  message: string;
};

/** An answer to that. */
export type ApprovalResponse = {
  /** The answer. */
  decision: ApprovalDecision;
};

/** What the server tells clients. */
export type Notification = {
  method: "thread/started";
  params: ThreadResult;
} | {
  method: "thread/status/changed";
  params: ThreadStatusChanged;
} | {
  method: "thread/note/updated";
  params: ThreadNoteUpdated;
} | {
  method: "thread/event";
  params: ThreadEvent;
} | {
  method: "turn/started";
  params: TurnNotification;
} | {
  method: "turn/completed";
  params: TurnNotification;
} | {
  method: "item/started";
  params: ItemStarted;
} | {
  method: "item/completed";
  params: ItemCompleted;
} | {
  method: "item/agentMessage/delta";
  params: ItemDelta;
} | {
  method: "item/reasoning/delta";
  params: ItemDelta;
} | {
  method: "approval/resolved";
  params: ApprovalResolved;
} | {
  method: "error";
  params: ErrorNotification;
} | {
  method: "client/fellBehind";
  params: FellBehind;
};

/** An agent is doing something else. */
export type ThreadStatusChanged = {
  /** The thread. */
  threadId: string;
  /** What it is doing. */
  status: AgentStatus;
};

/** An agent was labelled. */
export type ThreadNoteUpdated = {
  /** The thread. */
  threadId: string;
  /** The label. */
  threadNote?: string | null;
};

/** Something happened. */
export type ThreadEvent = {
  /** The root of the tree. */
  sessionId: string;
  /** What happened, as `run --format jsonl` prints it. */
  event: unknown;
};

/** A turn. */
export type TurnNotification = {
  /** The thread. */
  threadId: string;
  /** The turn. */
  turn: Turn;
};

/** Something in a turn begins. */
export type ItemStarted = {
  /** The thread. */
  threadId: string;
  /** The turn. */
  turnId: string;
  /** What it is. */
  item: ThreadItem;
  /** When, in milliseconds since 1970. */
  startedAtMs: number;
};

/** Something in a turn. */
export type ThreadItem = {
  type: "userMessage";
  /** Its name. */
  id: string;
  /** What it says. */
  content: Array<UserInput>;
} | {
  type: "agentMessage";
  /** Its name. */
  id: string;
  /** The words. */
  text: string;
} | {
  type: "reasoning";
  /** Its name. */
  id: string;
  /** The words. */
  text: string;
} | {
  type: "commandExecution";
  /** The call. */
  id: string;
  /** The command. */
  command: string;
  /** How it stands. */
  status: CallStatus;
  /** What it printed. */
  aggregatedOutput?: string | null;
  /** How long it took. */
  durationMs?: number | null;
} | {
  type: "fileChange";
  /** The call. */
  id: string;
  /** The tool. */
  tool: string;
  /** What it was asked. */
  arguments: unknown;
  /** How it stands. */
  status: CallStatus;
  /** What the agent was told. */
  output?: string | null;
  /** How long it took. */
  durationMs?: number | null;
} | {
  type: "mcpToolCall";
  /** The call. */
  id: string;
  /** The server. */
  server: string;
  /** The tool. */
  tool: string;
  /** What it was asked. */
  arguments: unknown;
  /** How it stands. */
  status: CallStatus;
  /** What the agent was told. */
  result?: string | null;
  /** How long it took. */
  durationMs?: number | null;
} | {
  type: "toolCall";
  /** The call. */
  id: string;
  /** The tool. */
  tool: string;
  /** What it was asked. */
  arguments: unknown;
  /** How it stands. */
  status: CallStatus;
  /** What the agent was told. */
  output?: string | null;
  /** How long it took. */
  durationMs?: number | null;
} | {
  type: "collabAgentToolCall";
  /** The call. */
  id: string;
  /** What it does. */
  tool: CollabTool;
  /** How it stands. */
  status: CallStatus;
  /** Who does it. */
  senderThreadId: string;
  /** To whom. */
  receiverThreadIds: Array<string>;
  /** What they are told. */
  prompt?: string | null;
  /** The model of an agent that is started. */
  model?: string | null;
  /** Its effort. */
  reasoningEffort?: string | null;
  /** What they are doing. */
  agentsStates: { [key: string]: CollabAgentState };
};

/** How a call stands. */
export type CallStatus = "inProgress" | "completed" | "failed";

/** What one agent does to others. */
export type CollabTool = "spawnAgent" | "sendInput" | "resumeAgent" | "wait" | "closeAgent";

/** What an agent is doing, and its last words if it ended. */
export type CollabAgentState = {
  /** What it is doing. */
  status: AgentStatus;
  /** Its last words. */
  message?: string | null;
};

/** Something in a turn is over. */
export type ItemCompleted = {
  /** The thread. */
  threadId: string;
  /** The turn. */
  turnId: string;
  /** What it is. */
  item: ThreadItem;
  /** When, in milliseconds since 1970. */
  completedAtMs: number;
};

/** More words. */
export type ItemDelta = {
  /** The thread. */
  threadId: string;
  /** The turn. */
  turnId: string;
  /** What they belong to. */
  itemId: string;
  /** The words. */
  delta: string;
};

/** An approval request that needs no answer any more. */
export type ApprovalResolved = {
  /** The question. */
  approvalId: string;
  /** The thread that asked. */
  threadId: string;
  /** The answer, if anyone gave one. */
  decision?: ApprovalDecision | null;
};

/** Something went wrong. */
export type ErrorNotification = {
  /** The thread. */
  threadId?: string | null;
  /** What. */
  error: TurnError;
  /** Whether it is tried again. */
  willRetry: boolean;
};

/** A client was too slow. */
export type FellBehind = {
  /** The root of the tree. */
  sessionId: string;
  /** The number of the first event it missed. */
  fromSeq: number;
};

export interface Requests {
  "initialize": { params: InitializeParams; result: InitializeResult };
  "agents/list": { params: Empty; result: AgentsListResult };
  "approval/answer": { params: ApprovalAnswerParams; result: ApprovalAnswerResult };
  "collaborationMode/list": { params: Empty; result: CollaborationModeListResult };
  "thread/close": { params: ThreadCloseParams; result: Empty };
  "thread/list": { params: ThreadListParams; result: ThreadListResult };
  "thread/note/set": { params: ThreadNoteSetParams; result: ThreadNoteSetResult };
  "thread/read": { params: ThreadReadParams; result: ThreadReadResult };
  "thread/resume": { params: ThreadResumeParams; result: ThreadResult };
  "thread/start": { params: ThreadStartParams; result: ThreadResult };
  "turn/interrupt": { params: TurnInterruptParams; result: Empty };
  "turn/start": { params: TurnStartParams; result: TurnStartResult };
}

export interface ServerRequests {
  "approval/request": { params: ApprovalRequest; result: ApprovalResponse };
}
