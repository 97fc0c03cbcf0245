import type { HookFormat } from './format.ts';
import { ownIn, textIn } from './json.ts';
import { headerOf, type Telling, told, toldWhole } from './told.ts';

const common = [
  'object_kind',
  'event_name',
  'event_type',
  'project',
  'repository',
  'user',
  'user_id',
  'user_name',
  'user_username',
  'user_email',
  'user_avatar',
  'project_id',
];
const commits = {
  of: 'commits',
  lines: ['[`{id|short}`]({url}) {title|first} — {author.name}'],
  most: 20,
  parts: ['id', 'message', 'title', 'timestamp', 'url', 'author', 'added', 'removed', 'modified'],
};
const note = (on: string): Telling => ({
  lines: [
    `**{user.name}** commented on [${on}]({object_attributes.url}) in {project.path_with_namespace}`,
    '{object_attributes.note|quote}',
  ],
  parts: ['object_attributes', 'issue', 'merge_request', 'commit', 'snippet'],
});
const pushed = [
  'ref',
  'before',
  'after',
  'checkout_sha',
  'message',
  'total_commits_count',
  'push_options',
  'ref_protected',
];

/** By the kind of object, and for notes by what they are about. */
const events: Record<string, Telling> = {
  push: {
    lines: ['**{user_name}** pushed to {ref|ref} of {project.path_with_namespace}: {before|short} → {after|short}'],
    each: commits,
    parts: pushed,
  },
  tag_push: {
    lines: ['**{user_name}** pushed tag {ref|ref} of {project.path_with_namespace}', '{message|quote}'],
    each: commits,
    parts: pushed,
  },
  issue: {
    lines: [
      '**{user.name}** {object_attributes.action} issue [#{object_attributes.iid} {object_attributes.title|label}]({object_attributes.url}) in {project.path_with_namespace}',
      '{object_attributes.description|quote}',
    ],
    parts: ['object_attributes', 'assignees', 'assignee', 'labels', 'changes'],
  },
  work_item: {
    lines: [
      '**{user.name}** {object_attributes.action} [#{object_attributes.iid} {object_attributes.title|label}]({object_attributes.url}) in {project.path_with_namespace}',
      '{object_attributes.description|quote}',
    ],
    parts: ['object_attributes', 'assignees', 'labels', 'changes'],
  },
  merge_request: {
    lines: [
      '**{user.name}** {object_attributes.action} merge request [!{object_attributes.iid} {object_attributes.title|label}]({object_attributes.url}) in {project.path_with_namespace}',
      '{object_attributes.source_branch|code} → {object_attributes.target_branch|code}: {object_attributes.state}',
    ],
    parts: ['object_attributes', 'assignees', 'reviewers', 'labels', 'changes'],
  },
  'note.Commit': note('commit {commit.id|short}'),
  'note.MergeRequest': note('!{merge_request.iid} {merge_request.title|label}'),
  'note.Issue': note('#{issue.iid} {issue.title|label}'),
  'note.Snippet': note('{snippet.title|label}'),
  wiki_page: {
    lines: [
      '**{user.name}** {object_attributes.action} wiki page [{object_attributes.title|label}]({object_attributes.url}) in {project.path_with_namespace}',
      '{object_attributes.message|quote}',
    ],
    parts: ['object_attributes', 'wiki'],
  },
  pipeline: {
    lines: [
      '{object_attributes.status|sign} Pipeline [#{object_attributes.id}]({project.web_url}/-/pipelines/{object_attributes.id}) of {object_attributes.ref} in {project.path_with_namespace}: {object_attributes.status}',
      '[{commit.title|label}]({commit.url}) — {commit.author.name}',
    ],
    each: {
      of: 'builds',
      lines: ['{status|sign} {stage}: {name} ({status})'],
      most: 20,
      parts: [
        'id',
        'stage',
        'name',
        'status',
        'created_at',
        'started_at',
        'finished_at',
        'duration',
        'queued_duration',
        'failure_reason',
        'when',
        'manual',
        'allow_failure',
        'user',
        'runner',
        'artifacts_file',
        'environment',
      ],
    },
    parts: ['object_attributes', 'merge_request', 'commit', 'source_pipeline'],
  },
  build: {
    lines: [
      '{build_status|sign} Job [{build_name|label}]({project.web_url}/-/jobs/{build_id}) ({build_stage}) of {ref} in {project.path_with_namespace}: {build_status}',
      'Job {build_name} ({build_stage}) of {ref} in {project_name}: {build_status}',
      '{build_failure_reason|quote}',
    ],
    parts: [
      'ref',
      'tag',
      'before_sha',
      'sha',
      'retries_count',
      'build_id',
      'build_name',
      'build_stage',
      'build_status',
      'build_created_at',
      'build_started_at',
      'build_finished_at',
      'build_duration',
      'build_queued_duration',
      'build_allow_failure',
      'build_failure_reason',
      'pipeline_id',
      'project_name',
      'commit',
      'runner',
      'environment',
      'source_pipeline',
      'build_created_at_iso',
      'build_started_at_iso',
      'build_finished_at_iso',
    ],
  },
  deployment: {
    lines: [
      '{status|sign} Deployment to {environment} of {project.path_with_namespace}: {status}',
      '[{short_sha}]({commit_url}) {commit_title|first}',
      '{deployable_url}',
    ],
    parts: [
      'status',
      'status_changed_at',
      'deployment_id',
      'deployable_id',
      'deployable_url',
      'environment',
      'environment_tier',
      'environment_slug',
      'environment_external_url',
      'short_sha',
      'user_url',
      'commit_url',
      'commit_title',
      'ref',
    ],
  },
  release: {
    lines: ['Release [{name|label}]({url}) of {project.path_with_namespace}: {action}', '{description|quote}'],
    parts: ['id', 'created_at', 'description', 'name', 'released_at', 'tag', 'url', 'action', 'assets', 'commit'],
  },
};

/** Webhooks of GitLab's projects and groups. */
export const gitlab: HookFormat = {
  name: 'gitlab',
  recognises: (delivery) => headerOf(delivery, 'x-gitlab-event') !== undefined,
  deliveryIds: ['idempotency-key', 'x-gitlab-event-uuid'],
  read({ body }) {
    const kind = textIn(body.object_kind) || textIn(body.event_name) || 'event';
    const about = kind === 'note' ? ownIn(events, `note.${noteableOf(body.object_attributes)}`) : undefined;
    const form = about ?? ownIn(events, kind);
    const text = form && told(body, form, common);
    return { text: text || toldWhole(body, `GitLab: ${kind}`, ['object_kind']), namesNobody: true };
  },
};

const noteableOf = (attributes: unknown): string =>
  typeof attributes === 'object' && attributes !== null && 'noteable_type' in attributes
    ? textIn(attributes.noteable_type)
    : '';
