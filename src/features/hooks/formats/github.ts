import type { HookFormat } from './format.ts';
import { ownIn, textIn } from './json.ts';
import { headerOf, type Telling, told, toldWhole } from './told.ts';

const common = ['action', 'repository', 'sender', 'organization', 'installation', 'enterprise'];

const issue =
  '**{sender.login}** {action} issue [#{issue.number} {issue.title|label}]({issue.html_url}) in {repository.full_name}';
const pull =
  '**{sender.login}** {action} pull request [#{pull_request.number} {pull_request.title|label}]({pull_request.html_url}) in {repository.full_name}';
const release =
  '**{sender.login}** {action} release [{release.tag_name|label}]({release.html_url}) of {repository.full_name}';

/** By the event's name, and its action where that is told in another way. */
const events: Record<string, Telling> = {
  ping: {
    lines: [
      'GitHub posts here about {repository.full_name}.',
      'GitHub posts here about {organization.login}.',
      '{zen|quote}',
    ],
    parts: ['zen', 'hook_id', 'hook'],
  },
  push: {
    lines: [
      '**{sender.login}** pushed to {ref|ref} of {repository.full_name}: [{before|short} → {after|short}]({compare})',
      // Gitea and Forgejo have another name for it.
      '**{sender.login}** pushed to {ref|ref} of {repository.full_name}: [{before|short} → {after|short}]({compare_url})',
      '{forced|forced}',
    ],
    each: {
      of: 'commits',
      lines: ['[`{id|short}`]({url}) {message|first} — {author.name}'],
      most: 20,
      parts: [
        'id',
        'tree_id',
        'distinct',
        'message',
        'timestamp',
        'url',
        'author',
        'committer',
        'added',
        'removed',
        'modified',
      ],
    },
    parts: ['ref', 'before', 'after', 'compare', 'forced', 'created', 'deleted', 'base_ref', 'pusher', 'head_commit'],
  },
  create: {
    lines: ['**{sender.login}** created {ref_type} {ref|code} in {repository.full_name}'],
    parts: ['ref', 'ref_type', 'master_branch', 'description', 'pusher_type'],
  },
  delete: {
    lines: ['**{sender.login}** deleted {ref_type} {ref|code} in {repository.full_name}'],
    parts: ['ref', 'ref_type', 'pusher_type'],
  },
  fork: {
    lines: ['**{sender.login}** forked {repository.full_name} to [{forkee.full_name|label}]({forkee.html_url})'],
    parts: ['forkee'],
  },
  star: { lines: ['**{sender.login}** {action} a star of {repository.full_name}'], parts: ['starred_at'] },
  watch: { lines: ['**{sender.login}** {action} watching {repository.full_name}'], parts: [] },
  public: { lines: ['**{sender.login}** made {repository.full_name} public'], parts: [] },
  issues: {
    lines: [issue, 'Label: {label.name}', 'Assignee: {assignee.login}'],
    parts: ['issue', 'label', 'assignee', 'changes'],
  },
  'issues.opened': { lines: [issue, '{issue.body|quote}'], parts: ['issue'] },
  issue_comment: {
    lines: [
      '**{sender.login}** {action} [a comment]({comment.html_url}) on #{issue.number} {issue.title|first} in {repository.full_name}',
      '{comment.body|quote}',
    ],
    parts: ['issue', 'comment', 'changes'],
  },
  pull_request: {
    lines: [
      pull,
      '{pull_request.merged|merged}',
      'Label: {label.name}',
      'Reviewer: {requested_reviewer.login}',
      'Assignee: {assignee.login}',
    ],
    parts: [
      'pull_request',
      'number',
      'label',
      'requested_reviewer',
      'requested_team',
      'assignee',
      'changes',
      'before',
      'after',
    ],
  },
  'pull_request.opened': { lines: [pull, '{pull_request.body|quote}'], parts: ['pull_request', 'number'] },
  pull_request_review: {
    lines: [
      '**{sender.login}** {action} [a review]({review.html_url}) ({review.state}) of #{pull_request.number} {pull_request.title|first} in {repository.full_name}',
      '{review.body|quote}',
    ],
    parts: ['review', 'pull_request', 'changes'],
  },
  pull_request_review_comment: {
    lines: [
      '**{sender.login}** {action} [a comment]({comment.html_url}) on `{comment.path}` in #{pull_request.number} {pull_request.title|first} of {repository.full_name}',
      '{comment.body|quote}',
    ],
    parts: ['comment', 'pull_request', 'changes'],
  },
  commit_comment: {
    lines: [
      '**{sender.login}** {action} [a comment]({comment.html_url}) on {comment.commit_id|short} in {repository.full_name}',
      '{comment.body|quote}',
    ],
    parts: ['comment'],
  },
  release: { lines: [release], parts: ['release', 'changes'] },
  'release.published': { lines: [release, '{release.name|bold}', '{release.body|quote}'], parts: ['release'] },
  workflow_run: {
    lines: [
      '{workflow_run.conclusion|sign} [{workflow_run.name|label} #{workflow_run.run_number}]({workflow_run.html_url}) {action} on {workflow_run.head_branch} of {repository.full_name}: {workflow_run.conclusion}',
      '{workflow_run.display_title|quote}',
    ],
    parts: ['workflow_run', 'workflow'],
  },
  'workflow_run.requested': {
    lines: [
      '⏳ [{workflow_run.name|label} #{workflow_run.run_number}]({workflow_run.html_url}) requested on {workflow_run.head_branch} of {repository.full_name}',
    ],
    parts: ['workflow_run', 'workflow'],
  },
  'workflow_run.in_progress': {
    lines: [
      '⏳ [{workflow_run.name|label} #{workflow_run.run_number}]({workflow_run.html_url}) runs on {workflow_run.head_branch} of {repository.full_name}',
    ],
    parts: ['workflow_run', 'workflow'],
  },
  check_run: {
    lines: [
      '{check_run.status|sign} [{check_run.name|label}]({check_run.html_url}) {action} in {repository.full_name}',
      'Conclusion: {check_run.conclusion}',
    ],
    parts: ['check_run', 'requested_action'],
  },
  check_suite: {
    lines: [
      'Checks of {check_suite.head_branch} in {repository.full_name} {action}',
      'Conclusion: {check_suite.conclusion}',
    ],
    parts: ['check_suite'],
  },
  deployment_status: {
    lines: [
      '{deployment_status.state|sign} Deployment to {deployment.environment} of {repository.full_name}: {deployment_status.state}',
      '{deployment_status.description|quote}',
      '{deployment_status.target_url}',
    ],
    parts: ['deployment_status', 'deployment', 'check_run', 'workflow', 'workflow_run'],
  },
  discussion: {
    lines: [
      '**{sender.login}** {action} discussion [{discussion.title|label}]({discussion.html_url}) in {repository.full_name}',
      '{discussion.body|quote}',
    ],
    parts: ['discussion', 'changes', 'answer', 'label'],
  },
  discussion_comment: {
    lines: [
      '**{sender.login}** {action} [a comment]({comment.html_url}) on {discussion.title|first} in {repository.full_name}',
      '{comment.body|quote}',
    ],
    parts: ['discussion', 'comment', 'changes'],
  },
  status: {
    lines: [
      '{state|sign} {context}: {state} for {sha|short} in {repository.full_name}',
      '{description|quote}',
      '{target_url}',
    ],
    parts: [
      'id',
      'sha',
      'name',
      'context',
      'description',
      'state',
      'commit',
      'branches',
      'avatar_url',
      'target_url',
      'created_at',
      'updated_at',
    ],
  },
};

/** Webhooks of GitHub's repositories and organizations, and of Gitea and Forgejo, which send the same. */
export const github: HookFormat = {
  name: 'github',
  recognises: (delivery) => headerOf(delivery, 'x-github-event') !== undefined,
  deliveryIds: ['x-github-delivery'],
  read(delivery) {
    const { body } = delivery;
    const event = headerOf(delivery, 'x-github-event') ?? 'event';
    const action = textIn(body.action);
    const form = ownIn(events, `${event}.${action}`) ?? ownIn(events, event);
    const whole = () =>
      toldWhole(
        body,
        `GitHub: ${event}`,
        common.filter((name) => name !== 'action'),
      );
    return { text: (form && told(body, form, common)) || whole(), namesNobody: true };
  },
};
