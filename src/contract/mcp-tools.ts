import { accountCalls } from './account.ts';
import { mediaCalls } from './attachment.ts';
import type { Call } from './call.ts';
import { channelCalls } from './channel.ts';
import { directCalls } from './direct.ts';
import { messageCalls } from './message-calls.ts';
import { reactionCalls } from './reaction.ts';
import { searchCalls } from './search.ts';
import { serverCalls } from './server.ts';
import { serverMemberCalls } from './server-member.ts';
import { threadCalls } from './thread.ts';
import { fileCalls, workspaceCalls } from './workspace-calls.ts';

/** A tool of the Model Context Protocol: a call over REST, under a name of its own (contract §8). */
export interface McpTool {
  call: Call;
  title: string;
  /** In place of the call's summary. */
  description?: string;
  /** The names of path parameters that say too little outside of a path. */
  names?: Readonly<Record<string, string>>;
  /** It removes something that someone wrote. */
  destructive?: true;
}

const message = { id: 'messageId' };
const thread = { id: 'threadId' };

/** The tools by their names. What is not here cannot be done by them: nothing that manages, invites or removes people. */
export const mcpTools = {
  get_me: { call: accountCalls.getMe, title: 'Who I am' },
  list_servers: { call: serverCalls.listServers, title: 'List servers' },
  list_channels: { call: channelCalls.listChannels, title: 'List channels' },
  list_direct_messages: { call: directCalls.listDms, title: 'List direct messages' },
  list_members: { call: serverMemberCalls.listServerMembers, title: 'List members', names: { id: 'serverId' } },
  find: { call: searchCalls.searchOverview, title: 'Find people, channels and files' },
  search_messages: { call: searchCalls.searchMessages, title: 'Search messages' },
  read_messages: { call: messageCalls.listMessages, title: 'Read messages' },
  get_message: { call: messageCalls.getMessage, title: 'Get a message', names: message },
  send_message: { call: messageCalls.sendMessage, title: 'Send a message' },
  edit_message: { call: messageCalls.editMessage, title: 'Edit a message', names: message, destructive: true },
  delete_message: { call: messageCalls.deleteMessage, title: 'Delete a message', names: message, destructive: true },
  open_direct_message: { call: directCalls.openDm, title: 'Open a direct message' },
  add_reaction: { call: reactionCalls.addReaction, title: 'React', names: message },
  remove_reaction: {
    call: reactionCalls.removeReaction,
    title: 'Take a reaction back',
    names: message,
    destructive: true,
  },
  list_threads: { call: threadCalls.listThreads, title: 'List threads' },
  read_thread: {
    call: threadCalls.listThreadMessages,
    title: 'Read a thread',
    description: 'The messages of a thread, newest first; with `after` oldest first.',
    names: thread,
  },
  open_thread: { call: threadCalls.startThread, title: 'Open a thread', names: message },
  reply_in_thread: { call: threadCalls.sendThreadMessage, title: 'Reply in a thread', names: thread },
  list_files: { call: workspaceCalls.listFolder, title: 'List files of a server' },
  find_files: { call: fileCalls.searchFiles, title: 'Find files of a server' },
  read_file: { call: fileCalls.getFile, title: 'Read a file of a server' },
  create_file: { call: fileCalls.createFile, title: 'Create a file in a server' },
  update_file: { call: fileCalls.updateFile, title: 'Change a file of a server', destructive: true },
  get_attachment_link: {
    call: mediaCalls.getMediaLink,
    title: 'Get a link to an attachment',
    names: { id: 'attachmentId' },
  },
} as const satisfies Record<string, McpTool>;
