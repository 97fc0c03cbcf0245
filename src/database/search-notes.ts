/**
 * What notes that a message is to be indexed anew, whoever changes it: nodes of the version before, jobs, or an operator's
 * SQL. New messages are not noted: the index follows them by the numbers of their logs, so that a send pays nothing.
 */

/** An operator's SQL or a restore may run with another search path. */
const here = 'set search_path from current';

/** Its arguments: the column with the id of the message, and whether what it can be found by may be gone. */
const noteSearched = `create function note_searched() returns trigger language plpgsql ${here} as $$ begin
  insert into search_stale (message_id, is_text)
  values ((to_jsonb(case when tg_op = 'DELETE' then old else new end) ->> tg_argv[0])::uuid, tg_argv[1]::boolean);
  return null; end $$`;

/** Files leave a message when they are deleted, or released by it. */
const noteReleased = `create function note_released() returns trigger language plpgsql ${here} as $$ begin
  insert into search_stale (message_id, is_text) values (old.message_id, true);
  return null; end $$`;

const noteMessage = `create function note_searched_message() returns trigger language plpgsql ${here} as $$ begin
  insert into search_stale (message_id, is_text) values (old.id, tg_argv[0]::boolean);
  return null; end $$`;

/** All functions and triggers. */
export const searchNotes: string[] = [
  noteSearched,
  noteReleased,
  noteMessage,
  `create trigger note_searched_text after update of content, deleted_at on messages for each row
     when (old.content is distinct from new.content or old.deleted_at is distinct from new.deleted_at)
     execute function note_searched_message('true')`,
  `create trigger note_searched_pin after update of pinned_at on messages for each row
     when (old.pinned_at is distinct from new.pinned_at) execute function note_searched_message('false')`,
  `create trigger note_searched_end after delete on messages for each row execute function note_searched_message('true')`,
  // Only the first reaction makes a difference, and perhaps the end of one.
  `create trigger note_searched_first after insert on reactions for each row when (new.place = 1)
     execute function note_searched('message_id', 'false')`,
  `create trigger note_searched_end after delete on reactions for each row
     execute function note_searched('message_id', 'false')`,
  `create trigger note_searched_start after insert on threads for each row when (new.parent_message_id is not null)
     execute function note_searched('parent_message_id', 'false')`,
  `create trigger note_searched_file after insert or update of message_id on attachments for each row
     when (new.message_id is not null) execute function note_searched('message_id', 'false')`,
  `create trigger note_released_file after update of message_id on attachments for each row
     when (old.message_id is not null and old.message_id is distinct from new.message_id) execute function note_released()`,
  `create trigger note_deleted_file after delete on attachments for each row
     when (old.message_id is not null) execute function note_released()`,
];
