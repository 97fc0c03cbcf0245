import { Migration } from '@mikro-orm/migrations';

/** The columns that older nodes read and write too, as one side's half. */
const half = (row: string) =>
  `jsonb_build_object('mode', ${row}.mode, 'mentionOnly', ${row}.mention_only, 'reply', ${row}.reply, 'listen', ${row}.listen, 'config', ${row}.config)`;

/**
 * Whether a policy of unknown author may be the server's decision. Admins could set policies of channels alone, as
 * owners could; an owner who is an admin too undoes both.
 */
const mayBeServers = (row: string) => `(${row}.server_id is not null and ${row}.channel_id is not null
  and (${row}.mention_only or not ${row}.reply or not ${row}.listen)
  and not exists (select from agents a join server_members m on m.user_id = a.owner_id and m.server_id = ${row}.server_id
    where a.id = ${row}.agent_id and m.role in ('owner', 'admin')))`;

/**
 * Stores the policies of a bot's owner and of a server's admins apart; the old columns hold their combination. The
 * existing ones name no author: they are the owner's, and the server's too where they restrict a bot in a channel.
 * So are those that older nodes write while they run beside newer ones, which increment `revision`.
 */
export class PolicyHalves extends Migration {
  override up(): void {
    this.addSql('alter table agent_policies add column owner_half jsonb null');
    this.addSql('alter table agent_policies add column server_half jsonb null');
    this.addSql('alter table agent_policies add column revision int not null default 0');
    this.addSql(`update agent_policies p set owner_half = ${half('p')}, revision = 1,
      server_half = case when ${mayBeServers('p')} then ${half('p')} end`);
    this.addSql(`create function split_policy() returns trigger language plpgsql set search_path from current as $$
      declare standard jsonb; before record; begin
      if tg_op = 'INSERT' and new.revision > 0 then return new; end if;
      if tg_op = 'UPDATE' and (new.revision <> old.revision
        or ${half('new')} is not distinct from ${half('old')}) then return new; end if;
      new.owner_half := ${half('new')};
      if ${mayBeServers('new')} then new.server_half := new.owner_half; end if;
      standard := new.server_half;
      if standard is null and new.channel_id is not null then
        select p.server_half into standard from agent_policies p
          where p.agent_id = new.agent_id and p.server_id = new.server_id and p.channel_id is null;
      end if;
      if standard is not null then
        before := new;
        new.reply := new.reply and (standard ->> 'reply')::boolean;
        new.listen := new.listen and (standard ->> 'listen')::boolean;
        new.mention_only := new.mention_only or (standard ->> 'mentionOnly')::boolean;
        if (new.reply, new.listen, new.mention_only) is distinct from (before.reply, before.listen, before.mention_only) then
          new.mode := case when not new.reply then 'disabled' when new.mention_only then 'mentionOnly' else 'custom' end;
        end if;
      end if;
      return new; end $$`);
    // Slash commands reach the bot that they name: nodes cache them.
    this.addSql(`create trigger invalidate_channel_commands after update of slash_commands on agents
      for each row when (old.slash_commands::text is distinct from new.slash_commands::text)
      execute function invalidate_all_of('channel-commands')`);
    this.addSql(`create trigger split_policy before insert or update on agent_policies
      for each row execute function split_policy()`);
  }
}
