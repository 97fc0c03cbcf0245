import { Migration } from '@mikro-orm/migrations';

/**
 * A row without `excluded` says that someone was let into a channel by someone else. Earlier versions wrote it also for people
 * who entered an open channel by themselves, where it says nothing until the channel is closed or denied to them, and left it
 * to those whom an override denies the channel (contract §5). Nobody loses a channel that they may view.
 */
export class LetInByOthers extends Migration {
  override up(): void {
    this.addSql(`delete from channel_members e using channels c, users u
      where c.id = e.channel_id and u.id = e.user_id and not e.excluded and not u.is_bot and c.server_id is not null
        and not c.is_private and not (c.view_overridden and exists (
          select from channel_overrides o join server_members m on m.server_id = c.server_id and m.user_id = e.user_id
          where o.channel_id = c.id and 'view' = any(o.deny) and (o.built_in = m.role or exists (
            select from member_roles h where h.role_id = o.role_id and h.user_id = e.user_id))))`);
    this.addSql(`delete from channel_members e using channels c, channel_overrides o, server_members m
      where c.id = e.channel_id and c.view_overridden and not e.excluded
        and o.channel_id = c.id and o.user_id = e.user_id and 'view' = any(o.deny)
        and m.server_id = c.server_id and m.user_id = e.user_id and m.role not in ('owner', 'admin')`);
  }
}
