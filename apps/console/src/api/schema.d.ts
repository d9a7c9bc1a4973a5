// Made by tools/write-console-types.mjs.
export interface paths {
    "/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.accounts.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.accounts.retrieve"];
        put: operations["identity.accounts.replace"];
        post?: never;
        delete: operations["identity.accounts.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["gateway.dead-letters.page"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/dead-letters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["gateway.dead-letters.retrieve"];
        put?: never;
        post?: never;
        delete: operations["gateway.dead-letters.discard"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/dead-letters/{id}/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["gateway.dead-letters.redrive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/dead-letters/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["gateway.dead-letters.discardStep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/dead-letters/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["gateway.dead-letters.redriveStep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.workspaces.page"];
        put?: never;
        post: operations["identity.workspaces.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/workspaces/{workspace_id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.keys.page"];
        put?: never;
        post: operations["identity.keys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/workspaces/{workspace_id}/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["identity.keys.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/workspaces/{workspace_id}/keys/{key_id}/limit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["identity.limits.changeKey"];
        trace?: never;
    };
    "/admin/workspaces/{workspace_id}/keys/{key_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["identity.keys.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/workspaces/{workspace_id}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.limits.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["identity.limits.change"];
        trace?: never;
    };
    "/admin/workspaces/{workspace_id}/senders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.senders.retrieve"];
        put: operations["messaging.senders.replace"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audiences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["audience.audiences.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audiences/{audience_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["audience.audiences.retrieve"];
        put: operations["audience.audiences.put"];
        post?: never;
        delete: operations["audience.audiences.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audiences/{audience_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["audience.audiences.members"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.audit-events.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit-events/{audit_event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.audit-events.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/issue-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["gateway.auth.issue-token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/brands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.brands.list"];
        put?: never;
        post: operations["content.brands.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/brands/{brand_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.brands.retrieve"];
        put: operations["content.brands.replace"];
        post?: never;
        delete: operations["content.brands.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messaging.bulk.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bulk/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.bulk.retrieve"];
        put?: never;
        post: operations["messaging.bulk.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bulk/{job_id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messaging.bulk.run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bulk/{job_id}/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.bulk.users"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/audiences/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["audience.audience-counts.count"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.bulk-jobs.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/bulk/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.bulk-jobs.progress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/dry-runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["gateway.dry-runs.simulate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["gateway.console-keys.list"];
        put?: never;
        post: operations["gateway.console-keys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["gateway.console-keys.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/keys/{key_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["gateway.console-keys.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/messages/{message_id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.explanations.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["gateway.console-sessions.finish-oidc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/oidc/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["gateway.console-sessions.start-oidc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/preferences/publication": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.preference-sections.publication"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/providers/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.provider-health.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["gateway.console-sessions.retrieve"];
        put?: never;
        post: operations["gateway.console-sessions.start"];
        delete: operations["gateway.console-sessions.end"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/stats/backlog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.statistics.backlog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/stats/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.statistics.series"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/translations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.translations.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.user-search.search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.sessions.whoami"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["content.previews.render"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.event-mappings.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.event-mappings.retrieve"];
        put: operations["content.event-mappings.replace"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inbound/courier": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messaging.inbound.accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/lists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["audience.lists.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/lists/{list_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["audience.lists.retrieve"];
        put: operations["audience.lists.replace"];
        post?: never;
        delete: operations["audience.lists.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/lists/{list_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["audience.lists.restore"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/lists/{list_id}/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["audience.subscriptions.list"];
        put: operations["audience.subscriptions.replace"];
        post: operations["audience.subscriptions.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/lists/{list_id}/subscriptions/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["audience.subscriptions.put"];
        post?: never;
        delete: operations["audience.subscriptions.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.messages.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages/{message_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.messages.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages/{message_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messaging.messages.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages/{message_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.messages.history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages/{message_id}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.messages.output"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages/{message_id}/output/{render_id}/{part}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.messages.part"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/messages/{message_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messaging.messages.resend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.notifications.list"];
        put?: never;
        post: operations["content.notifications.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.notifications.retrieve"];
        put: operations["content.notifications.replace"];
        post?: never;
        delete: operations["content.notifications.archive"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/{submissionId}/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.notification-checks.list"];
        put: operations["content.notification-checks.replace"];
        post?: never;
        delete: operations["content.notification-checks.cancel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/blocks/{block_id}/locales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["content.notification-blocks.translateBlock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/channels/{channel_id}/locales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["content.notification-blocks.translateChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.notification-content.retrieve"];
        put: operations["content.notification-content.replace"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/draft/blocks/{block_id}/locales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["content.notification-blocks.translateDraftBlock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/draft/channels/{channel_id}/locales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["content.notification-blocks.translateDraftChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/draft/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.notification-content.retrieveDraft"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/draft/locales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["content.notification-blocks.replaceDraftLocales"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/draft/locales/{localeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["content.notification-blocks.replaceDraftLocale"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/draft/variations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["content.notification-blocks.replaceDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/elements/{elementId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["content.notification-content.replaceElement"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/locales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["content.notification-blocks.replaceLocales"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/locales/{localeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["content.notification-content.replaceLocale"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["content.notifications.publish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/variations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["content.notification-blocks.replace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notifications/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.notifications.versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.recipient-preferences.catalogue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/preferences/{recipient_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.recipient-preferences.retrieve"];
        put: operations["identity.recipient-preferences.replace"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["identity.recipient-preferences.patch"];
        trace?: never;
    };
    "/preferences/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.preference-logs.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/preferences/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["identity.preference-sections.publish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/preferences/sections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.preference-sections.list"];
        put?: never;
        post: operations["identity.preference-sections.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/preferences/sections/{section_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.preference-sections.retrieve"];
        put: operations["identity.preference-sections.replace"];
        post?: never;
        delete: operations["identity.preference-sections.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/preferences/sections/{section_id}/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.preference-topics.list"];
        put?: never;
        post: operations["identity.preference-topics.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/preferences/sections/{section_id}/topics/{topic_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.preference-topics.retrieve"];
        put: operations["identity.preference-topics.replace"];
        post?: never;
        delete: operations["identity.preference-topics.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profiles/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.profiles.retrieve"];
        put: operations["identity.profiles.replace"];
        post: operations["identity.profiles.merge"];
        delete: operations["identity.profiles.remove"];
        options?: never;
        head?: never;
        patch: operations["identity.profiles.patch"];
        trace?: never;
    };
    "/profiles/{user_id}/lists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["audience.profile-lists.list"];
        put?: never;
        post: operations["audience.profile-lists.subscribe"];
        delete: operations["audience.profile-lists.removeAll"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.providers.list"];
        put?: never;
        post: operations["messaging.providers.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.providers.retrieve"];
        put: operations["messaging.providers.replace"];
        post?: never;
        delete: operations["messaging.providers.remove"];
        options?: never;
        head?: never;
        patch: operations["messaging.providers.change"];
        trace?: never;
    };
    "/providers/{id}/retry-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messaging.providers.retryNow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/{id}/rotate-callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messaging.providers.rotateCallback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messaging.providers.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/catalog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.providers.catalog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/requests/{request_id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["messaging.requests.archive"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/routing-strategies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.routing-strategies.list"];
        put?: never;
        post: operations["content.routing-strategies.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/routing-strategies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.routing-strategies.retrieve"];
        put: operations["content.routing-strategies.replace"];
        post?: never;
        delete: operations["content.routing-strategies.archive"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/routing-strategies/{id}/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.routing-strategies.templates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["gateway.send.accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/send/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["gateway.send.accept-for-lists"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.suppressions.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/suppressions/{channel}/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.suppressions.retrieve"];
        put: operations["messaging.suppressions.replace"];
        post?: never;
        delete: operations["messaging.suppressions.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/suppressions/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messaging.suppressions.import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.tenants.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants/{tenant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.tenants.retrieve"];
        put: operations["identity.tenants.replace"];
        post?: never;
        delete: operations["identity.tenants.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants/{tenant_id}/default_preferences/items/{topic_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["identity.tenants.replaceDefault"];
        post?: never;
        delete: operations["identity.tenants.removeDefault"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants/{tenant_id}/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.tenant-templates.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants/{tenant_id}/templates/{template_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.tenant-templates.retrieve"];
        put: operations["content.tenant-templates.replace"];
        post?: never;
        delete: operations["content.tenant-templates.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants/{tenant_id}/templates/{template_id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["content.tenant-templates.publish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants/{tenant_id}/templates/{template_id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.tenant-templates.retrieveVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants/{tenant_id}/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.tenants.users"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/translations/{domain}/{locale}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["content.translations.retrieve"];
        put: operations["content.translations.replace"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["identity.accounts.setUser"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["identity.accounts.setUserAccounts"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.user-preferences.list"];
        put: operations["identity.user-preferences.replace"];
        post: operations["identity.user-preferences.upsert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/preferences/{topic_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.user-preferences.retrieve"];
        put: operations["identity.user-preferences.put"];
        post?: never;
        delete: operations["identity.user-preferences.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.user-tenants.list"];
        put: operations["identity.user-tenants.addMany"];
        post?: never;
        delete: operations["identity.user-tenants.removeAll"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/tenants/{tenant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.user-tenants.retrieve"];
        put: operations["identity.user-tenants.add"];
        post?: never;
        delete: operations["identity.user-tenants.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.user-tokens.list"];
        put: operations["identity.user-tokens.put-many"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/tokens/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["identity.user-tokens.retrieve"];
        put: operations["identity.user-tokens.put"];
        post?: never;
        delete: operations["identity.user-tokens.remove"];
        options?: never;
        head?: never;
        patch: operations["identity.user-tokens.patch"];
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.webhooks.list"];
        put?: never;
        post: operations["messaging.webhooks.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.webhooks.retrieve"];
        put?: never;
        post?: never;
        delete: operations["messaging.webhooks.remove"];
        options?: never;
        head?: never;
        patch: operations["messaging.webhooks.change"];
        trace?: never;
    };
    "/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.webhook-deliveries.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["messaging.webhook-deliveries.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{delivery_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messaging.webhook-deliveries.replayOne"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messaging.webhooks.pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messaging.webhook-deliveries.replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messaging.webhooks.resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messaging.webhooks.rotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messaging.webhooks.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Account: {
            brand_id?: string | null;
            default_preferences?: components["schemas"]["DefaultPreferences"] | null;
            id: string;
            name: string;
            parent_account_id?: string | null;
            properties?: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            type: "account";
            user_profile?: {
                [key: string]: unknown;
            } | null;
        };
        AccountPage: {
            cursor?: string | null;
            has_more: boolean;
            items: components["schemas"]["Account"][];
            next_url?: string | null;
            /** @enum {string} */
            type: "list";
            url: string;
        };
        Audience: {
            /** Format: date-time */
            created_at: string;
            description: string;
            filter?: {
                [key: string]: unknown;
            } | null;
            id: string;
            name: string;
            /** @enum {string|null} */
            operator?: "AND" | "OR" | null;
            /** Format: date-time */
            updated_at: string;
        };
        AudienceCount: {
            complete: boolean;
            evaluated: number;
            matched: number;
            users: string[];
        };
        AudienceMember: {
            /** Format: date-time */
            added_at: string;
            audience_id: string;
            audience_version: number;
            member_id: string;
            reason: string;
        };
        AudienceMemberPage: {
            items: components["schemas"]["AudienceMember"][];
            paging: components["schemas"]["Paging"];
        };
        AudiencePage: {
            items: components["schemas"]["Audience"][];
            paging: components["schemas"]["Paging"];
        };
        AudienceWritten: {
            audience?: components["schemas"]["Audience"];
        };
        AuditActor: {
            email?: string | null;
            hint?: string | null;
            id: string;
            name?: string | null;
            /** @enum {string|null} */
            type?: "operator" | "api-key" | "token" | "person" | "system" | null;
            users?: string[] | null;
        };
        AuditChanges: {
            after: string[];
            before: string[];
        };
        AuditEvent: {
            actor: components["schemas"]["AuditActor"];
            auditEventId: string;
            changes?: components["schemas"]["AuditChanges"] | null;
            operation?: string | null;
            source: string;
            target: components["schemas"]["AuditTarget"];
            timestamp: string;
            /** @enum {string} */
            type: "workspace:created" | "workspace:email-changed" | "workspace:senders-changed" | "workspace:limits-changed" | "api-key:created" | "api-key:rotated" | "api-key:revoked" | "api-key:limit-changed" | "session:started" | "session:ended" | "signing-key:rotated" | "issued-tokens:revoked" | "events:unverified-skipped" | "events:republished" | "dead-letter:redriven" | "dead-letter:discarded" | "secrets:resealed" | "provider:created" | "provider:replaced" | "provider:changed" | "provider:deleted" | "provider:retried" | "provider:tested" | "provider:callback-rotated" | "provider:paused" | "provider:resumed" | "webhook:created" | "webhook:changed" | "webhook:deleted" | "webhook:secret-rotated" | "webhook:paused" | "webhook:resumed" | "webhook:disabled" | "webhook:tested" | "webhook:replayed" | "notification:created" | "notification:replaced" | "notification:content-changed" | "notification:checks-changed" | "notification:published" | "notification:archived" | "tenant-template:replaced" | "tenant-template:published" | "tenant-template:deleted" | "routing-strategy:created" | "routing-strategy:replaced" | "routing-strategy:archived" | "brand:created" | "brand:replaced" | "brand:deleted" | "translation:replaced" | "event-mapping:replaced" | "preference-section:created" | "preference-section:replaced" | "preference-section:deleted" | "preference-topic:created" | "preference-topic:replaced" | "preference-topic:deleted" | "preferences:published" | "tenant:replaced" | "tenant:deleted" | "tenant:defaults-changed" | "list:replaced" | "list:deleted" | "list:restored" | "list:subscribers-changed" | "audience:replaced" | "audience:deleted" | "bulk-job:created" | "bulk-job:run" | "request:archived" | "suppression:replaced" | "suppression:deleted" | "suppressions:imported" | "user:profile-changed" | "user:profile-deleted" | "user:tokens-changed" | "user:preferences-changed" | "user:tenants-changed" | "user:lists-changed" | "user:erased";
        };
        AuditEventPage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["AuditEvent"][];
        };
        AuditTarget: {
            email?: string | null;
            id?: string | null;
        };
        AwsSnsAddress: {
            target_arn?: string | null;
        };
        BaseCheck: {
            id: string;
            /** @enum {string} */
            status: "RESOLVED" | "FAILED" | "PENDING";
            /** @enum {string} */
            type: "custom";
        };
        Block: {
            alias?: string | null;
            checksum?: string | null;
            content?: unknown;
            context?: string | null;
            id: string;
            locales?: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            type: "action" | "divider" | "image" | "jsonnet" | "list" | "markdown" | "quote" | "template" | "text";
        };
        BlockChannel: {
            checksum?: string | null;
            content?: {
                [key: string]: unknown;
            } | null;
            id: string;
            locales?: {
                [key: string]: unknown;
            } | null;
            type?: string | null;
        };
        Brand: {
            created: number;
            id: string;
            name: string;
            published: number;
            settings: components["schemas"]["BrandSettings"];
            snippets?: components["schemas"]["BrandSnippets"] | null;
            updated: number;
            /** Format: date-time */
            version: string;
        };
        BrandColors: {
            primary?: string | null;
            secondary?: string | null;
            tertiary?: string | null;
        };
        BrandEmail: {
            footer?: components["schemas"]["BrandFooter"] | null;
            head?: components["schemas"]["BrandHead"] | null;
            header?: components["schemas"]["BrandHeader"] | null;
            templateOverride?: components["schemas"]["BrandTemplateOverride"] | null;
        };
        BrandFooter: {
            content?: string | null;
            inheritDefault?: boolean | null;
            markdown?: string | null;
            social?: components["schemas"]["BrandSocial"] | null;
        };
        BrandHead: {
            content?: string | null;
            inheritDefault?: boolean | null;
        };
        BrandHeader: {
            barColor?: string | null;
            inheritDefault?: boolean | null;
            logo?: components["schemas"]["BrandLogo"] | null;
        };
        BrandIcons: {
            bell?: string | null;
            message?: string | null;
        };
        BrandInApp: {
            borderRadius?: string | null;
            colors?: components["schemas"]["BrandColors"] | null;
            disableMessageIcon?: boolean | null;
            fontFamily?: string | null;
            icons?: components["schemas"]["BrandIcons"] | null;
            /** @enum {string|null} */
            placement?: "top" | "bottom" | "left" | "right" | null;
            preferences?: components["schemas"]["BrandPreferencePage"] | null;
            widgetBackground?: components["schemas"]["BrandWidgetBackground"] | null;
        };
        BrandLogo: {
            href?: string | null;
            image?: string | null;
        };
        BrandPage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["Brand"][];
        };
        BrandPreferencePage: {
            templateIds?: string[] | null;
        };
        BrandSettings: {
            colors?: components["schemas"]["BrandColors"] | null;
            email?: components["schemas"]["BrandEmail"] | null;
            inapp?: components["schemas"]["BrandInApp"] | null;
        };
        BrandSnippet: {
            /** @enum {string|null} */
            format?: "handlebars" | null;
            name: string;
            value: string;
        };
        BrandSnippets: {
            items?: components["schemas"]["BrandSnippet"][] | null;
        };
        BrandSocial: {
            facebook?: components["schemas"]["BrandSocialLink"] | null;
            inheritDefault?: boolean | null;
            instagram?: components["schemas"]["BrandSocialLink"] | null;
            linkedin?: components["schemas"]["BrandSocialLink"] | null;
            medium?: components["schemas"]["BrandSocialLink"] | null;
            twitter?: components["schemas"]["BrandSocialLink"] | null;
        };
        BrandSocialLink: {
            url?: string | null;
        };
        BrandTemplate: {
            backgroundColor?: string | null;
            blocksBackgroundColor?: string | null;
            enabled?: boolean | null;
            footer?: string | null;
            head?: string | null;
            header?: string | null;
            width?: string | null;
        };
        BrandTemplateOverride: {
            backgroundColor?: string | null;
            blocksBackgroundColor?: string | null;
            enabled?: boolean | null;
            footer?: string | null;
            footerBackgroundColor?: string | null;
            footerFullWidth?: boolean | null;
            head?: string | null;
            header?: string | null;
            mjml?: components["schemas"]["BrandTemplate"] | null;
            width?: string | null;
        };
        BrandWidgetBackground: {
            bottomColor?: string | null;
            topColor?: string | null;
        };
        BulkFailureReason: {
            count: number;
            error: string;
        };
        BulkJob: {
            definition: {
                [key: string]: unknown;
            };
            enqueued: number;
            failures: number;
            received: number;
            /** @enum {string} */
            status: "CREATED" | "PROCESSING" | "COMPLETED" | "ERROR";
        };
        BulkJobCreated: {
            jobId: string;
        };
        BulkJobFound: {
            job: components["schemas"]["BulkJob"];
        };
        BulkJobPage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["BulkJobSummary"][];
        };
        BulkJobProgress: {
            created: number;
            enqueued: number;
            failures: number;
            id: string;
            per_minute?: number | null;
            reasons: components["schemas"]["BulkFailureReason"][];
            received: number;
            run?: number | null;
            /** @enum {string} */
            status: "CREATED" | "PROCESSING" | "COMPLETED" | "ERROR";
            template?: string | null;
            time_left_ms?: number | null;
        };
        BulkJobRun: Record<string, never>;
        BulkJobSummary: {
            created: number;
            enqueued: number;
            failures: number;
            id: string;
            received: number;
            run?: number | null;
            /** @enum {string} */
            status: "CREATED" | "PROCESSING" | "COMPLETED" | "ERROR";
            template?: string | null;
        };
        BulkMessage: {
            brand?: string | null;
            brand_id?: string | null;
            channels?: {
                [key: string]: unknown;
            } | null;
            content?: {
                [key: string]: unknown;
            } | null;
            context?: components["schemas"]["MessageContext"] | null;
            data?: {
                [key: string]: unknown;
            } | null;
            delay?: {
                [key: string]: unknown;
            } | null;
            event?: string | null;
            expiry?: {
                [key: string]: unknown;
            } | null;
            locale?: {
                [key: string]: unknown;
            } | null;
            message?: components["schemas"]["UnaddressedMessage"] | null;
            metadata?: components["schemas"]["MessageMetadata"] | null;
            override?: {
                [key: string]: unknown;
            } | null;
            preferences?: components["schemas"]["MessagePreferences"] | null;
            providers?: {
                [key: string]: unknown;
            } | null;
            routing?: {
                [key: string]: unknown;
            } | null;
            template?: string | null;
            timeout?: {
                [key: string]: unknown;
            } | null;
            timeouts?: {
                [key: string]: unknown;
            } | null;
        };
        BulkTopic: {
            custom_routing?: string[] | null;
            digest_schedule_id?: string | null;
            has_custom_routing?: boolean | null;
            /** @enum {string} */
            status: "OPTED_IN" | "OPTED_OUT" | "REQUIRED";
            topic_id: string;
        };
        BulkUserError: {
            error: string;
            user: {
                [key: string]: unknown;
            };
        };
        BulkUserPage: {
            items: components["schemas"]["ListedBulkUser"][];
            paging: components["schemas"]["Paging"];
        };
        BulkUsersAdded: {
            errors: components["schemas"]["BulkUserError"][];
            total: number;
        };
        CancelConflict: {
            canceled?: number | null;
            canceledAt?: number | null;
            clicked?: number | null;
            delivered?: number | null;
            enqueued: number;
            error?: string | null;
            event: string;
            id: string;
            idempotencyKey?: string | null;
            jobId?: string | null;
            left?: number | null;
            listId?: string | null;
            listMessageId?: string | null;
            message: string;
            notification: string;
            opened?: number | null;
            providers?: components["schemas"]["ProviderStatus"][] | null;
            /** @enum {string|null} */
            reason?: "BOUNCED" | "FAILED" | "FILTERED" | "NO_CHANNELS" | "NO_PROVIDERS" | "OPT_IN_REQUIRED" | "PROVIDER_ERROR" | "UNPUBLISHED" | "UNSUBSCRIBED" | null;
            recipient: string;
            sent?: number | null;
            /** @enum {string} */
            status: "CANCELED" | "CLICKED" | "DELAYED" | "DELIVERED" | "DIGESTED" | "ENQUEUED" | "FILTERED" | "OPENED" | "ROUTED" | "SENT" | "SIMULATED" | "THROTTLED" | "UNDELIVERABLE" | "UNMAPPED" | "UNROUTABLE";
            tags?: string[] | null;
        };
        CatalogEntry: {
            channel: string;
            description: string;
            name: string;
            provider: string;
            settings: {
                [key: string]: unknown;
            };
        };
        CatalogPage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["CatalogEntry"][];
        };
        CatalogueCategory: {
            config?: components["schemas"]["CategoryConfig"];
            id: string;
            notifications: components["schemas"]["CatalogueEntry"][];
            title: string;
        };
        CatalogueEntry: {
            config?: components["schemas"]["CategoryConfig"];
            id: string;
            title: string;
        };
        CategoryConfig: {
            /** @enum {string} */
            type: "OPT_IN" | "OPT_OUT" | "REQUIRED";
        };
        ChannelOutput: {
            channel: string;
            channel_id: string;
            content: {
                [key: string]: unknown;
            };
        };
        Check: {
            id: string;
            /** @enum {string} */
            status: "RESOLVED" | "FAILED" | "PENDING";
            /** @enum {string} */
            type: "custom";
            updated: number;
        };
        Checks: {
            checks: components["schemas"]["Check"][];
        };
        ChosenTopic: {
            custom_routing: ("direct_message" | "email" | "push" | "sms" | "webhook" | "inbox")[];
            has_custom_routing: boolean;
            /** @enum {string} */
            status: "OPTED_IN" | "OPTED_OUT" | "REQUIRED";
            topic_id: string;
        };
        ConsoleSession: {
            csrf: string;
            key: components["schemas"]["SessionKey"];
            /** @enum {string|null} */
            mode?: "production" | "test" | null;
            /** @enum {string|null} */
            role?: "viewer" | "support" | "editor" | "admin" | "operator" | null;
            scopes: string[];
            version: string;
            workspace?: components["schemas"]["NamedWorkspace"] | null;
        };
        ContentMutation: {
            elements: components["schemas"]["ElementChecksum"][];
            etag: string;
            id: string;
            /** @enum {string} */
            state: "DRAFT" | "PUBLISHED";
            version: string;
        };
        CreatedKey: {
            key: string;
            /** Format: uuid */
            key_id: string;
        };
        CurrentSession: {
            session?: components["schemas"]["ConsoleSession"] | null;
            sign_in_with?: string | null;
        };
        DeadLetterPage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["DeadLetterSummary"][];
        };
        DeadLetterRecord: {
            /** Format: date-time */
            appended_at: string;
            count: number;
            error: string;
            event_id: string;
            group: string;
            headers?: {
                [key: string]: unknown;
            } | null;
            id: string;
            key: string;
            offset: string;
            partition: number;
            redrivable: boolean;
            sequence?: string | null;
            /** Format: date-time */
            time: string;
            topic: string;
            value?: string | null;
            verified: boolean;
        };
        DeadLettersStepped: {
            done: number;
            left: components["schemas"]["LeftDeadLetter"][];
            next?: string | null;
        };
        DeadLetterSummary: {
            count: number;
            error: string;
            group: string;
            id: string;
            offset: string;
            partition: number;
            /** Format: date-time */
            time: string;
            topic: string;
        };
        DecisionSubject: {
            id: string;
            /** @enum {string} */
            kind: "user" | "tenant" | "list" | "topic" | "template" | "provider" | "request";
        };
        DefaultPreferenceItem: {
            custom_routing?: string[] | null;
            has_custom_routing?: boolean | null;
            id: string;
            /** @enum {string} */
            status: "OPTED_IN" | "OPTED_OUT" | "REQUIRED";
            /** @enum {string|null} */
            type?: "subscription_topic" | null;
        };
        DefaultPreferences: {
            items?: components["schemas"]["DefaultPreferenceItem"][] | null;
        };
        DiscordAddress: {
            channel_id?: string | null;
            user_id?: string | null;
        };
        DryRun: {
            error?: string | null;
            more: boolean;
            results: components["schemas"]["DryRunRecipient"][];
        };
        DryRunContent: {
            channel: string;
            content: {
                [key: string]: unknown;
            };
            provider: string;
            warnings: string[];
        };
        DryRunRecipient: {
            contents: components["schemas"]["DryRunContent"][];
            decisions: components["schemas"]["ExplainedDecision"][];
            /** @enum {string} */
            outcome: "sent" | "delayed" | "not_sent";
            recipient: string;
            remedies: components["schemas"]["Remedy"][];
            routes: components["schemas"]["DryRunRoute"][];
            sentence: string;
            tenant_id?: string | null;
            timing: components["schemas"]["DryRunTiming"];
            user_id?: string | null;
            warnings: string[];
        };
        DryRunRoute: {
            channel: string;
            configuration_id: string;
            provider: string;
            /** @enum {string} */
            use: "now" | "fallback" | "skipped" | "failed";
        };
        DryRunTiming: {
            escalates_at?: number | null;
            retried_until?: number | null;
            send_at: number;
        };
        ElementChecksum: {
            checksum: string;
            id: string;
        };
        Error: {
            message: string;
            /** @enum {string} */
            type: "invalid_request_error" | "authentication_error" | "authorization_error" | "rate_limit_error" | "internal_error";
        };
        EventMapping: {
            event: string;
            id: string;
            /** @enum {string} */
            type: "notification";
        };
        EventMappingPage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["EventMapping"][];
        };
        EventMappingPut: {
            /** @enum {string} */
            status: "SUCCESS";
        };
        EventTracked: {
            messageId: string;
        };
        ExplainedDecision: {
            answer: string;
            at?: number | null;
            question: string;
            rule: string;
            subject?: components["schemas"]["DecisionSubject"] | null;
            /** @enum {string} */
            whose: "send" | "user" | "recipient" | "tenant" | "list" | "topic" | "template" | "provider" | "operator" | "workspace" | "system";
        };
        FoundUser: {
            email?: string | null;
            id: string;
            name?: string | null;
            phone_number?: string | null;
            updated?: string | null;
        };
        HistoryEvent: {
            ts: number;
            /** @enum {string} */
            type: "ENQUEUED" | "MAPPED" | "UNMAPPED" | "PROFILE_LOADED" | "THROTTLED" | "DELAYED" | "DIGESTED" | "FILTERED" | "ROUTED" | "UNROUTABLE" | "RENDERED" | "DELIVERING" | "SIMULATED" | "SENT" | "DELIVERED" | "UNDELIVERABLE" | "OPENED" | "CLICKED" | "CANCELED";
        };
        ImportedSuppressions: {
            errors: components["schemas"]["ImportError"][];
            failed: number;
            imported: number;
        };
        ImportError: {
            error: string;
            field: string;
            line: number;
        };
        IncomingWebhook: {
            url: string;
        };
        InlineAddresses: {
            airship?: {
                [key: string]: unknown;
            } | null;
            apn?: unknown;
            aws_sns?: components["schemas"]["AwsSnsAddress"] | null;
            discord?: components["schemas"]["DiscordAddress"] | null;
            email?: string | null;
            expo?: unknown;
            facebookPSID?: string | null;
            firebaseToken?: unknown;
            intercom?: {
                [key: string]: unknown;
            } | null;
            ms_teams?: components["schemas"]["MsTeamsAddress"] | null;
            oneSignalExternalUserId?: string | null;
            oneSignalPlayerID?: unknown;
            pagerduty?: components["schemas"]["PagerdutyAddress"] | null;
            phone_number?: string | null;
            slack?: components["schemas"]["SlackAddress"] | null;
            target_arn?: string | null;
            webhook?: components["schemas"]["WebhookAddress"] | null;
        };
        IssuedToken: {
            token: string;
        };
        KeyLimit: {
            key_id: string;
            rate_limit?: string | null;
        };
        KeyPage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["KeySummary"][];
        };
        KeySummary: {
            created_at: string;
            expires_at?: string | null;
            hint?: string | null;
            /** Format: uuid */
            key_id: string;
            last_used_at?: string | null;
            /** @enum {string} */
            mode: "production" | "test";
            name?: string | null;
            rate_limit?: string | null;
            recipients?: string[] | null;
            revoked_at?: string | null;
            scopes: string[];
            /** @enum {string} */
            status: "active" | "ending" | "expired" | "revoked";
            valid_until?: string | null;
        };
        LastPublication: {
            publication?: components["schemas"]["PreferencePublication"] | null;
            removed: components["schemas"]["RemovedPreference"][];
        };
        LeftDeadLetter: {
            error: string;
            id: string;
        };
        LegacyListSent: {
            messageId: string;
            requestId: string;
        };
        LinkedTemplatePage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["TemplateSummary"][];
        };
        List: {
            /** Format: date-time */
            created: string;
            id: string;
            name: string;
            preferences?: components["schemas"]["RecipientPreferences"] | null;
            /** Format: date-time */
            updated: string;
        };
        ListedBulkUser: {
            data?: unknown;
            error?: string | null;
            messageId?: string | null;
            preferences?: unknown;
            profile?: unknown;
            recipient?: string | null;
            /** @enum {string} */
            status: "PENDING" | "ENQUEUED" | "ERROR";
            to?: unknown;
        };
        ListsPage: {
            items: components["schemas"]["List"][];
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["List"][];
        };
        ListToSubscribe: {
            id?: string | null;
            listId?: string | null;
            preferences?: components["schemas"]["RecipientPreferences"] | null;
        };
        MessageContext: {
            tenant_id?: string | null;
        };
        MessageDetails: {
            canceled?: number | null;
            canceledAt?: number | null;
            clicked?: number | null;
            delivered?: number | null;
            enqueued: number;
            error?: string | null;
            event: string;
            id: string;
            idempotencyKey?: string | null;
            jobId?: string | null;
            left?: number | null;
            listId?: string | null;
            listMessageId?: string | null;
            notification: string;
            opened?: number | null;
            providers?: components["schemas"]["ProviderStatus"][] | null;
            /** @enum {string|null} */
            reason?: "BOUNCED" | "FAILED" | "FILTERED" | "NO_CHANNELS" | "NO_PROVIDERS" | "OPT_IN_REQUIRED" | "PROVIDER_ERROR" | "UNPUBLISHED" | "UNSUBSCRIBED" | null;
            recipient: string;
            sent?: number | null;
            /** @enum {string} */
            status: "CANCELED" | "CLICKED" | "DELAYED" | "DELIVERED" | "DIGESTED" | "ENQUEUED" | "FILTERED" | "OPENED" | "ROUTED" | "SENT" | "SIMULATED" | "THROTTLED" | "UNDELIVERABLE" | "UNMAPPED" | "UNROUTABLE";
            tags?: string[] | null;
        };
        MessageExplanation: {
            decisions: components["schemas"]["ExplainedDecision"][];
            next_attempt?: components["schemas"]["NextAttempt"] | null;
            /** @enum {string} */
            outcome: "delivered" | "sent" | "simulated" | "waiting" | "not_sent" | "failed" | "canceled";
            remedies: components["schemas"]["Remedy"][];
            sentence: string;
            /** @enum {string} */
            source: "decisions" | "history";
        };
        MessageHistory: {
            results: components["schemas"]["HistoryEvent"][];
        };
        MessageMetadata: {
            event?: string | null;
            tags?: string[] | null;
            trace_id?: string | null;
            utm?: components["schemas"]["Utm"] | null;
        };
        MessageOutput: {
            results: components["schemas"]["ChannelOutput"][];
        };
        MessagePage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["MessageDetails"][];
        };
        MessagePreferences: {
            pass_unsubscribed?: boolean | null;
            subscription_topic_id?: string | null;
        };
        MsTeamsAddress: {
            channel_id?: string | null;
            channel_name?: string | null;
            conversation_id?: string | null;
            email?: string | null;
            service_url?: unknown;
            team_id?: string | null;
            tenant_id?: string | null;
            user_id?: string | null;
        };
        NamedWorkspace: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        NextAttempt: {
            at?: number | null;
            channel?: string | null;
            configuration_id?: string | null;
            error?: string | null;
            provider?: string | null;
            until?: number | null;
        };
        NotificationPage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["NotificationV1"][];
        };
        NotificationV1: {
            created_at: number;
            event_ids: string[];
            id: string;
            note?: string | null;
            routing: {
                [key: string]: unknown;
            };
            tags: components["schemas"]["TemplateTags"];
            title: string;
            topic_id: string;
            updated_at: number;
        };
        OutgoingMessage: {
            brand_id?: string | null;
            channels?: {
                [key: string]: unknown;
            } | null;
            content?: {
                [key: string]: unknown;
            } | null;
            context?: components["schemas"]["MessageContext"] | null;
            data?: {
                [key: string]: unknown;
            } | null;
            delay?: {
                [key: string]: unknown;
            } | null;
            expiry?: {
                [key: string]: unknown;
            } | null;
            metadata?: components["schemas"]["MessageMetadata"] | null;
            preferences?: components["schemas"]["MessagePreferences"] | null;
            providers?: {
                [key: string]: unknown;
            } | null;
            routing?: {
                [key: string]: unknown;
            } | null;
            template?: string | null;
            timeout?: {
                [key: string]: unknown;
            } | null;
            timeouts?: {
                [key: string]: unknown;
            } | null;
            to: components["schemas"]["Recipient"] | components["schemas"]["Recipient"][];
        };
        PagerdutyAddress: {
            event_action?: string | null;
            routing_key?: string | null;
            severity?: string | null;
            source?: string | null;
        };
        Paging: {
            cursor?: string | null;
            more: boolean;
        };
        PatchOperation: {
            from?: string | null;
            /** @enum {string} */
            op: "add" | "remove" | "replace" | "move" | "copy" | "test";
            path: string;
            value?: unknown;
        };
        PreferenceCatalogue: {
            categories: components["schemas"]["CatalogueCategory"][];
            uncategorized: components["schemas"]["CatalogueEntry"][];
        };
        PreferenceLog: {
            custom_routing: ("direct_message" | "email" | "push" | "sms" | "webhook" | "inbox")[];
            has_custom_routing: boolean;
            id: string;
            message_id?: string | null;
            previous?: components["schemas"]["PreviousChoice"] | null;
            /** @enum {string} */
            source: "api" | "link" | "page";
            /** @enum {string} */
            status: "OPTED_IN" | "OPTED_OUT" | "REQUIRED";
            tenant_id?: string | null;
            /** Format: date-time */
            timestamp: string;
            topic_id: string;
            topic_name: string;
            user_id: string;
        };
        PreferenceLogPage: {
            items: components["schemas"]["PreferenceLog"][];
            paging: components["schemas"]["Paging"];
        };
        PreferencePublication: {
            brand_id?: string | null;
            description?: string | null;
            heading?: string | null;
            page_id: string;
            /** Format: date-time */
            published_at: string;
            published_version: number;
        };
        PreferenceSection: {
            /** Format: date-time */
            created: string;
            description?: string | null;
            has_custom_routing: boolean;
            id: string;
            name: string;
            routing_options: ("direct_message" | "email" | "push" | "sms" | "webhook" | "inbox")[];
            topics: components["schemas"]["PreferenceTopic"][];
            /** Format: date-time */
            updated: string;
        };
        PreferenceSections: {
            results: components["schemas"]["PreferenceSection"][];
        };
        PreferenceTopic: {
            allowed_preferences: ("snooze" | "channel_preferences")[];
            /** Format: date-time */
            created: string;
            /** @enum {string} */
            default_status: "OPTED_IN" | "OPTED_OUT" | "REQUIRED";
            description?: string | null;
            id: string;
            include_unsubscribe_header: boolean;
            name: string;
            routing_options: ("direct_message" | "email" | "push" | "sms" | "webhook" | "inbox")[];
            topic_data: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            updated: string;
        };
        PreferenceTopics: {
            results: components["schemas"]["PreferenceTopic"][];
        };
        Preview: {
            errors: components["schemas"]["PreviewError"][];
            results: components["schemas"]["PreviewOutput"][];
            version?: string | null;
        };
        PreviewBrand: {
            name?: string | null;
            settings?: components["schemas"]["BrandSettings"] | null;
            snippets?: components["schemas"]["BrandSnippets"] | null;
        };
        PreviewError: {
            channel: string;
            channel_id: string;
            message: string;
        };
        PreviewOutput: {
            channel: string;
            channel_id: string;
            content: {
                [key: string]: unknown;
            };
            payload?: {
                [key: string]: unknown;
            } | null;
            warnings: string[];
        };
        PreviousChoice: {
            custom_routing: ("direct_message" | "email" | "push" | "sms" | "webhook" | "inbox")[];
            has_custom_routing: boolean;
            /** @enum {string} */
            status: "OPTED_IN" | "OPTED_OUT" | "REQUIRED";
        };
        Profile: {
            profile: {
                [key: string]: unknown;
            };
        };
        ProfileWritten: {
            /** @enum {string} */
            status: "SUCCESS";
        };
        Provider: {
            alias?: string | null;
            callback_url?: string | null;
            created: number;
            enabled: boolean;
            id: string;
            order?: number | null;
            provider: string;
            settings: {
                [key: string]: unknown;
            };
            title: string;
            updated?: number | null;
        };
        ProviderHealth: {
            alias?: string | null;
            /** @enum {string} */
            breaker: "closed" | "open" | "half-open";
            call_p99_ms?: number | null;
            calls: number;
            calls_failed: number;
            channel: string;
            enabled: boolean;
            id: string;
            open_until?: number | null;
            paused_at?: number | null;
            paused_by?: string | null;
            paused_in_all?: boolean | null;
            paused_name?: string | null;
            provider: string;
            retried: number;
            /** @enum {string} */
            state: "active" | "disabled" | "paused";
            title: string;
            waiting: number;
        };
        ProviderPage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["Provider"][];
        };
        ProvidersHealth: {
            results: components["schemas"]["ProviderHealth"][];
        };
        ProviderStatus: {
            alias?: string | null;
            attempts?: number | null;
            bounced?: number | null;
            channel: {
                [key: string]: unknown;
            };
            clicked?: number | null;
            complained?: number | null;
            configuration_id?: string | null;
            delivered?: number | null;
            error?: string | null;
            next_attempt?: number | null;
            opened?: number | null;
            provider: string;
            providerResponse?: {
                [key: string]: unknown;
            } | null;
            reference?: {
                [key: string]: unknown;
            } | null;
            sent?: number | null;
            /** @enum {string|null} */
            status?: "CLICKED" | "DELIVERED" | "OPENED" | "SENT" | "UNDELIVERABLE" | null;
            unsubscribed?: number | null;
        };
        ProviderTest: {
            message?: string | null;
            ok: boolean;
            status?: number | null;
        };
        PublishedPreferences: {
            page_id: string;
            /** Format: date-time */
            published_at: string;
            published_version: number;
        };
        Recipient: {
            account_id?: string | null;
            airship?: {
                [key: string]: unknown;
            } | null;
            apn?: unknown;
            audience_id?: string | null;
            aws_sns?: components["schemas"]["AwsSnsAddress"] | null;
            context?: components["schemas"]["MessageContext"] | null;
            data?: {
                [key: string]: unknown;
            } | null;
            discord?: components["schemas"]["DiscordAddress"] | null;
            email?: string | null;
            expo?: unknown;
            facebookPSID?: string | null;
            filters?: components["schemas"]["RecipientFilter"][] | null;
            firebaseToken?: unknown;
            include_children?: boolean | null;
            intercom?: {
                [key: string]: unknown;
            } | null;
            list_id?: string | null;
            list_pattern?: string | null;
            locale?: string | null;
            ms_teams?: components["schemas"]["MsTeamsAddress"] | null;
            oneSignalExternalUserId?: string | null;
            oneSignalPlayerID?: unknown;
            pagerduty?: components["schemas"]["PagerdutyAddress"] | null;
            phone_number?: string | null;
            preferences?: components["schemas"]["RecipientPreferences"] | null;
            slack?: components["schemas"]["SlackAddress"] | null;
            target_arn?: string | null;
            tenant_id?: string | null;
            user_id?: string | null;
            webhook?: components["schemas"]["WebhookAddress"] | null;
        };
        RecipientFilter: {
            /** @enum {string} */
            operator: "MEMBER_OF";
            /** @enum {string} */
            path: "account_id";
            value: string;
        };
        RecipientPreferences: {
            categories?: {
                [key: string]: unknown;
            } | null;
            notifications?: {
                [key: string]: unknown;
            } | null;
        };
        RefusedTopic: {
            reason: string;
            topic_id: string;
        };
        Remedy: {
            link?: string | null;
            text: string;
        };
        RemovedPreference: {
            id: string;
            /** @enum {string} */
            kind: "section" | "topic";
            /** Format: date-time */
            removed: string;
        };
        ReplayedWebhook: {
            deliveries: number;
            next_from?: string | null;
        };
        ResentMessage: {
            messageId: string;
        };
        RetriedProvider: {
            deliveries: number;
        };
        RotatedKey: {
            key: string;
            /** Format: uuid */
            key_id: string;
            previous_valid_until: string;
        };
        RoutingStrategy: {
            channels: {
                [key: string]: unknown;
            };
            created: number;
            creator: string;
            description?: string | null;
            id: string;
            name: string;
            providers: {
                [key: string]: unknown;
            };
            routing: {
                [key: string]: unknown;
            };
            tags?: string[] | null;
            updated?: number | null;
            updater?: string | null;
        };
        RoutingStrategyPage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["RoutingStrategySummary"][];
        };
        RoutingStrategySummary: {
            created: number;
            creator: string;
            description?: string | null;
            id: string;
            name: string;
            tags?: string[] | null;
            updated?: number | null;
            updater?: string | null;
        };
        SendAccepted: {
            messageId?: string | null;
            requestId: string;
        };
        Senders: {
            allowed?: string[] | null;
            domains?: string[] | null;
        };
        Series: {
            points: components["schemas"]["SeriesPoint"][];
        };
        SeriesPoint: {
            accepted: number;
            at: number;
            delivered: number;
            failed: number;
            latency_p50_ms?: number | null;
            latency_p99_ms?: number | null;
        };
        SessionKey: {
            end?: string | null;
            name?: string | null;
        };
        SignedIn: {
            csrf: string;
        };
        SlackAddress: {
            access_token?: string | null;
            channel?: string | null;
            email?: string | null;
            incoming_webhook?: components["schemas"]["IncomingWebhook"] | null;
            user_id?: string | null;
        };
        StoredRecipientPreferences: {
            categories: {
                [key: string]: unknown;
            };
            notifications: {
                [key: string]: unknown;
            };
        };
        SubscribedListsPage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["List"][];
        };
        Subscriber: {
            preferences?: components["schemas"]["RecipientPreferences"] | null;
            recipientId: string;
        };
        Subscription: {
            /** Format: date-time */
            created: string;
            preferences?: components["schemas"]["RecipientPreferences"] | null;
            recipientId: string;
        };
        SubscriptionsPage: {
            items: components["schemas"]["Subscription"][];
            paging: components["schemas"]["Paging"];
        };
        Suppression: {
            address?: string | null;
            /** @enum {string} */
            channel: "email" | "sms" | "push";
            created: string;
            erased?: boolean | null;
            message_id?: string | null;
            /** @enum {string} */
            reason: "unsubscribe" | "manual" | "hard_bounce" | "complaint";
            source: string;
        };
        SuppressionPage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["Suppression"][];
        };
        Template: {
            alias?: string | null;
            brand?: components["schemas"]["TemplateBrand"] | null;
            content: {
                [key: string]: unknown;
            };
            created: number;
            creator: string;
            email?: components["schemas"]["TemplateEmail"] | null;
            etag: string;
            id: string;
            name: string;
            routing?: components["schemas"]["TemplateRouting"] | null;
            /** @enum {string} */
            state: "DRAFT" | "PUBLISHED";
            subscription?: components["schemas"]["TemplateSubscription"] | null;
            tags: string[];
            throw_on_missing_variable?: boolean | null;
            updated?: number | null;
            updater?: string | null;
        };
        TemplateBrand: {
            id: string;
        };
        TemplateContent: {
            blocks?: components["schemas"]["Block"][] | null;
            channels?: components["schemas"]["BlockChannel"][] | null;
            checksum?: string | null;
            elements?: unknown[] | null;
            etag?: string | null;
            version?: string | null;
        };
        TemplateEmail: {
            bcc?: string[] | null;
            cc?: string[] | null;
            from?: string | null;
            reply_to?: string | null;
        };
        TemplatePayload: {
            alias?: string | null;
            brand?: components["schemas"]["TemplateBrand"] | null;
            content: {
                [key: string]: unknown;
            };
            email?: components["schemas"]["TemplateEmail"] | null;
            name: string;
            routing?: components["schemas"]["TemplateRouting"] | null;
            subscription?: components["schemas"]["TemplateSubscription"] | null;
            tags?: string[] | null;
            throw_on_missing_variable?: boolean | null;
        };
        TemplateRouting: {
            strategy_id: string;
        };
        TemplateSubscription: {
            topic_id: string;
        };
        TemplateSummary: {
            created: number;
            creator: string;
            id: string;
            name: string;
            /** @enum {string} */
            state: "DRAFT" | "PUBLISHED";
            subscription_topic_id?: string | null;
            tags: string[];
            topic_id?: string | null;
            updated?: number | null;
            updater?: string | null;
        };
        TemplateTag: {
            id: string;
            name: string;
        };
        TemplateTags: {
            data: components["schemas"]["TemplateTag"][];
        };
        Tenant: {
            brand_id?: string | null;
            default_preferences?: components["schemas"]["DefaultPreferences"] | null;
            id: string;
            name: string;
            parent_tenant_id?: string | null;
            properties?: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            type: "tenant";
            user_profile?: {
                [key: string]: unknown;
            } | null;
        };
        TenantAssociation: {
            profile: {
                [key: string]: unknown;
            };
            tenant_id: string;
            /** @enum {string} */
            type: "user";
            user_id: string;
        };
        TenantAssociationPage: {
            cursor?: string | null;
            has_more: boolean;
            items: components["schemas"]["TenantAssociation"][];
            next_url?: string | null;
            /** @enum {string} */
            type: "list";
            url: string;
        };
        TenantPage: {
            cursor?: string | null;
            has_more: boolean;
            items: components["schemas"]["Tenant"][];
            next_url?: string | null;
            /** @enum {string} */
            type: "list";
            url: string;
        };
        TenantTemplate: {
            created_at: string;
            data: {
                [key: string]: unknown;
            };
            id: string;
            published_at?: string | null;
            updated_at: string;
            version: string;
        };
        TenantTemplateInput: {
            channels?: {
                [key: string]: unknown;
            } | null;
            content: {
                [key: string]: unknown;
            };
            providers?: {
                [key: string]: unknown;
            } | null;
            routing?: {
                [key: string]: unknown;
            } | null;
        };
        TenantTemplatePage: {
            cursor?: string | null;
            has_more: boolean;
            items: components["schemas"]["TenantTemplateSummary"][];
            next_url?: string | null;
            /** @enum {string} */
            type: "list";
            url: string;
        };
        TenantTemplatePublished: {
            id: string;
            published_at: string;
            version: string;
        };
        TenantTemplatePut: {
            id: string;
            published_at?: string | null;
            version: string;
        };
        TenantTemplateSummary: {
            created_at: string;
            data: {
                [key: string]: unknown;
            };
            id: string;
            published_at?: string | null;
            updated_at: string;
            version: string;
        };
        TokenDevice: {
            ad_id?: string | null;
            app_id?: string | null;
            device_id?: string | null;
            manufacturer?: string | null;
            model?: string | null;
            platform?: string | null;
        };
        TokenTracking: {
            ip?: string | null;
            lat?: string | null;
            long?: string | null;
            os_version?: string | null;
        };
        TopicChoice: {
            custom_routing?: string[] | null;
            digest_schedule_id?: string | null;
            has_custom_routing?: boolean | null;
            /** @enum {string} */
            status: "OPTED_IN" | "OPTED_OUT" | "REQUIRED";
        };
        TopicPreference: {
            custom_routing: ("direct_message" | "email" | "push" | "sms" | "webhook" | "inbox")[];
            /** @enum {string} */
            default_status: "OPTED_IN" | "OPTED_OUT" | "REQUIRED";
            has_custom_routing: boolean;
            section_id: string;
            section_name: string;
            /** @enum {string} */
            status: "OPTED_IN" | "OPTED_OUT" | "REQUIRED";
            topic_id: string;
            topic_name: string;
        };
        TranslationPage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["TranslationSummary"][];
        };
        TranslationSummary: {
            bytes: number;
            /** Format: date-time */
            created: string;
            domain: string;
            locale: string;
            /** Format: date-time */
            updated: string;
        };
        UnaddressedMessage: {
            brand_id?: string | null;
            channels?: {
                [key: string]: unknown;
            } | null;
            content?: {
                [key: string]: unknown;
            } | null;
            context?: components["schemas"]["MessageContext"] | null;
            data?: {
                [key: string]: unknown;
            } | null;
            delay?: {
                [key: string]: unknown;
            } | null;
            expiry?: {
                [key: string]: unknown;
            } | null;
            metadata?: components["schemas"]["MessageMetadata"] | null;
            preferences?: components["schemas"]["MessagePreferences"] | null;
            providers?: {
                [key: string]: unknown;
            } | null;
            routing?: {
                [key: string]: unknown;
            } | null;
            template?: string | null;
            timeout?: {
                [key: string]: unknown;
            } | null;
            timeouts?: {
                [key: string]: unknown;
            } | null;
        };
        UserAccountEntry: {
            account_id: string;
            profile?: {
                [key: string]: unknown;
            } | null;
        };
        UserPage: {
            items: components["schemas"]["FoundUser"][];
            /** @enum {string|null} */
            matched?: "id" | "address" | "token" | null;
            paging: components["schemas"]["Paging"];
        };
        UserPreference: {
            topic?: components["schemas"]["TopicPreference"];
        };
        UserPreferences: {
            items: components["schemas"]["TopicPreference"][];
            paging: components["schemas"]["Paging"];
        };
        UserPreferencesReplaced: {
            deleted: string[];
            items: components["schemas"]["ChosenTopic"][];
        };
        UserPreferencesUpserted: {
            errors: components["schemas"]["RefusedTopic"][];
            items: components["schemas"]["ChosenTopic"][];
        };
        UserPreferenceWritten: {
            /** @enum {string} */
            message: "success";
        };
        UserTenantEntry: {
            profile?: {
                [key: string]: unknown;
            } | null;
            tenant_id: string;
        };
        UserToken: {
            device?: components["schemas"]["TokenDevice"] | null;
            expiry_date?: string | false | null;
            properties?: unknown;
            /** @enum {string} */
            provider_key: "firebase-fcm" | "apn" | "expo" | "onesignal" | "web-push";
            /** @enum {string} */
            status: "active" | "unknown" | "failed" | "revoked";
            status_reason?: string | null;
            token: string;
            tracking?: components["schemas"]["TokenTracking"] | null;
        };
        UserTokenBody: {
            device?: components["schemas"]["TokenDevice"] | null;
            expiry_date?: string | false | null;
            properties?: unknown;
            /** @enum {string} */
            provider_key: "firebase-fcm" | "apn" | "expo" | "onesignal" | "web-push";
            token?: string | null;
            tracking?: components["schemas"]["TokenTracking"] | null;
        };
        UserTokenEntry: {
            device?: components["schemas"]["TokenDevice"] | null;
            expiry_date?: string | false | null;
            properties?: unknown;
            /** @enum {string} */
            provider_key: "firebase-fcm" | "apn" | "expo" | "onesignal" | "web-push";
            token: string;
            tracking?: components["schemas"]["TokenTracking"] | null;
        };
        UserTokens: {
            tokens: components["schemas"]["UserToken"][];
        };
        Utm: {
            campaign?: string | null;
            content?: string | null;
            medium?: string | null;
            source?: string | null;
            term?: string | null;
        };
        VersionNode: {
            created: number;
            creator: string;
            has_changes?: boolean | null;
            version: string;
        };
        VersionPage: {
            paging: components["schemas"]["Paging"];
            versions: components["schemas"]["VersionNode"][];
        };
        Webhook: {
            created: number;
            description?: string | null;
            event_types: "message:updated"[];
            id: string;
            /** @enum {string} */
            state: "active" | "paused" | "disabled";
            state_reason?: string | null;
            updated?: number | null;
            url: string;
        };
        WebhookAddress: {
            authentication?: components["schemas"]["WebhookAuthentication"] | null;
            headers?: unknown;
            /** @enum {string|null} */
            method?: "POST" | "PUT" | null;
            /** @enum {string|null} */
            profile?: "limited" | "expanded" | null;
            url?: unknown;
        };
        WebhookAuthentication: {
            /** @enum {string} */
            mode: "none" | "basic" | "bearer";
            password?: string | null;
            token?: string | null;
            username?: string | null;
        };
        WebhookDelivery: {
            attempted?: number | null;
            attempts: number;
            code?: number | null;
            created: number;
            duration_ms?: number | null;
            error?: string | null;
            id: string;
            message_id: string;
            next_attempt?: number | null;
            /** @enum {string} */
            result: "pending" | "delivered" | "failed";
            /** @enum {string} */
            status: "CANCELED" | "CLICKED" | "DELAYED" | "DELIVERED" | "DIGESTED" | "ENQUEUED" | "FILTERED" | "OPENED" | "ROUTED" | "SENT" | "SIMULATED" | "THROTTLED" | "UNDELIVERABLE" | "UNMAPPED" | "UNROUTABLE";
            /** @enum {string} */
            type: "message:updated";
        };
        WebhookDeliveryPage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["WebhookDelivery"][];
        };
        WebhookPage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["Webhook"][];
        };
        WebhookTest: {
            code?: number | null;
            duration_ms: number;
            error?: string | null;
            ok: boolean;
        };
        WebhookWithSecret: {
            created: number;
            description?: string | null;
            event_types: "message:updated"[];
            id: string;
            secret: string;
            /** @enum {string} */
            state: "active" | "paused" | "disabled";
            state_reason?: string | null;
            updated?: number | null;
            url: string;
        };
        WhoAmI: {
            /** @enum {string} */
            mode: "production" | "test";
            scopes: string[];
            version: string;
            workspace: components["schemas"]["NamedWorkspace"];
        };
        Workspace: {
            /** Format: email */
            account_email: string;
            created_at: string;
            name: string;
            /** Format: uuid */
            workspace_id: string;
        };
        WorkspaceBacklog: {
            oldest_at?: number | null;
            waiting: number;
        };
        WorkspaceLimits: {
            bulk_rows?: number | null;
            effective_rate_limit?: string | null;
            lists?: number | null;
            profiles?: number | null;
            rate_limit?: string | null;
            suppressions?: number | null;
            templates?: number | null;
        };
        WorkspacePage: {
            paging: components["schemas"]["Paging"];
            results: components["schemas"]["Workspace"][];
        };
    };
    responses: {
        conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        deadline_exceeded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        internal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        invalid_request: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        key_reused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        not_found: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        not_served: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        payload_too_large: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        rate_limited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        unauthenticated: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        unavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        unsupported_media_type: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        Warning: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "identity.accounts.list": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                parent_account_id?: string;
                starting_after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.accounts.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.accounts.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    brand_id?: string | null;
                    default_preferences?: components["schemas"]["DefaultPreferences"] | null;
                    name: string;
                    parent_account_id?: string | null;
                    properties?: {
                        [key: string]: unknown;
                    } | null;
                    user_profile?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.accounts.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.dead-letters.page": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                topic?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetterPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.dead-letters.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetterRecord"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.dead-letters.discard": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.dead-letters.redrive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.dead-letters.discardStep": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    cursor?: string | null;
                    topic?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLettersStepped"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.dead-letters.redriveStep": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    cursor?: string | null;
                    topic?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLettersStepped"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.workspaces.page": {
        parameters: {
            query?: {
                cursor?: string;
                id?: string;
                limit?: number;
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspacePage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.workspaces.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    account_email: string;
                    name: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.keys.page": {
        parameters: {
            query?: {
                cursor?: string;
                key_id?: string;
                limit?: number;
            };
            header?: never;
            path: {
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.keys.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expires_at?: string | null;
                    /** @enum {string} */
                    mode: "production" | "test";
                    name?: string | null;
                    recipients?: string[] | null;
                    scopes?: string[] | null;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedKey"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.keys.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: string;
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.limits.changeKey": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: string;
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    rate_limit?: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyLimit"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.keys.rotate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: string;
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    overlap?: string | null;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedKey"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.limits.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceLimits"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.limits.change": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    bulk_rows?: number | null;
                    lists?: number | null;
                    profiles?: number | null;
                    rate_limit?: unknown;
                    suppressions?: number | null;
                    templates?: number | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceLimits"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.senders.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Senders"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.senders.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    domains?: string[] | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Senders"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.audiences.list": {
        parameters: {
            query?: {
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AudiencePage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.audiences.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Audience"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.audiences.put": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    description?: string | null;
                    filter?: {
                        [key: string]: unknown;
                    } | null;
                    id?: string | null;
                    name?: string | null;
                    /** @enum {string|null} */
                    operator?: "AND" | "OR" | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AudienceWritten"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.audiences.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.audiences.members": {
        parameters: {
            query?: {
                cursor?: string;
            };
            header?: never;
            path: {
                audience_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AudienceMemberPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.audit-events.list": {
        parameters: {
            query?: {
                actor?: string;
                before?: string;
                cursor?: string;
                target?: string;
                type?: "workspace" | "api-key" | "session" | "signing-key" | "issued-tokens" | "events" | "dead-letter" | "secrets" | "provider" | "webhook" | "notification" | "tenant-template" | "routing-strategy" | "brand" | "translation" | "event-mapping" | "preference-section" | "preference-topic" | "preferences" | "tenant" | "list" | "audience" | "bulk-job" | "request" | "suppression" | "suppressions" | "user" | "workspace:created" | "workspace:email-changed" | "workspace:senders-changed" | "workspace:limits-changed" | "api-key:created" | "api-key:rotated" | "api-key:revoked" | "api-key:limit-changed" | "session:started" | "session:ended" | "signing-key:rotated" | "issued-tokens:revoked" | "events:unverified-skipped" | "events:republished" | "dead-letter:redriven" | "dead-letter:discarded" | "secrets:resealed" | "provider:created" | "provider:replaced" | "provider:changed" | "provider:deleted" | "provider:retried" | "provider:tested" | "provider:callback-rotated" | "provider:paused" | "provider:resumed" | "webhook:created" | "webhook:changed" | "webhook:deleted" | "webhook:secret-rotated" | "webhook:paused" | "webhook:resumed" | "webhook:disabled" | "webhook:tested" | "webhook:replayed" | "notification:created" | "notification:replaced" | "notification:content-changed" | "notification:checks-changed" | "notification:published" | "notification:archived" | "tenant-template:replaced" | "tenant-template:published" | "tenant-template:deleted" | "routing-strategy:created" | "routing-strategy:replaced" | "routing-strategy:archived" | "brand:created" | "brand:replaced" | "brand:deleted" | "translation:replaced" | "event-mapping:replaced" | "preference-section:created" | "preference-section:replaced" | "preference-section:deleted" | "preference-topic:created" | "preference-topic:replaced" | "preference-topic:deleted" | "preferences:published" | "tenant:replaced" | "tenant:deleted" | "tenant:defaults-changed" | "list:replaced" | "list:deleted" | "list:restored" | "list:subscribers-changed" | "audience:replaced" | "audience:deleted" | "bulk-job:created" | "bulk-job:run" | "request:archived" | "suppression:replaced" | "suppression:deleted" | "suppressions:imported" | "user:profile-changed" | "user:profile-deleted" | "user:tokens-changed" | "user:preferences-changed" | "user:tenants-changed" | "user:lists-changed" | "user:erased";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEventPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.audit-events.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                audit_event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEvent"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.auth.issue-token": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expires_in: string;
                    scope: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedToken"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.brands.list": {
        parameters: {
            query?: {
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrandPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.brands.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id?: string | null;
                    name: string;
                    settings?: components["schemas"]["BrandSettings"] | null;
                    snippets?: components["schemas"]["BrandSnippets"] | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Brand"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.brands.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brand_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Brand"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.brands.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brand_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    settings?: components["schemas"]["BrandSettings"] | null;
                    snippets?: components["schemas"]["BrandSnippets"] | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Brand"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.brands.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brand_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.bulk.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    message: components["schemas"]["BulkMessage"];
                };
            };
        };
        responses: {
            201: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkJobCreated"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.bulk.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkJobFound"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.bulk.add": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    users: {
                        [key: string]: unknown;
                    }[];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkUsersAdded"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.bulk.run": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkJobRun"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.bulk.users": {
        parameters: {
            query?: {
                cursor?: string;
            };
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkUserPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.audience-counts.count": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    filter?: {
                        [key: string]: unknown;
                    } | null;
                    /** @enum {string|null} */
                    operator?: "AND" | "OR" | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AudienceCount"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.bulk-jobs.list": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkJobPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.bulk-jobs.progress": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkJobProgress"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.dry-runs.simulate": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    brand?: string | null;
                    data?: {
                        [key: string]: unknown;
                    } | null;
                    event?: string | null;
                    message?: components["schemas"]["OutgoingMessage"] | null;
                    message_id?: string | null;
                    override?: {
                        [key: string]: unknown;
                    } | null;
                    preferences?: components["schemas"]["RecipientPreferences"] | null;
                    profile?: components["schemas"]["InlineAddresses"] | null;
                    recipient?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRun"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.console-keys.list": {
        parameters: {
            query?: {
                cursor?: string;
                key_id?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.console-keys.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    expires_at?: string | null;
                    /** @enum {string} */
                    mode: "production" | "test";
                    name?: string | null;
                    recipients?: string[] | null;
                    scopes?: string[] | null;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedKey"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.console-keys.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.console-keys.rotate": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    overlap?: string | null;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedKey"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.explanations.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageExplanation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.console-sessions.finish-oidc": {
        parameters: {
            query?: {
                code?: string;
                error?: string;
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            303: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.console-sessions.start-oidc": {
        parameters: {
            query?: {
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            303: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.preference-sections.publication": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LastPublication"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.provider-health.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvidersHealth"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.console-sessions.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentSession"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.console-sessions.start": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code?: string | null;
                    key?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.console-sessions.end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.statistics.backlog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceBacklog"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.statistics.series": {
        parameters: {
            query?: {
                from?: number;
                step?: number;
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Series"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.translations.list": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                locale?: string;
                starting_after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranslationPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-search.search": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                query?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.sessions.whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WhoAmI"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.previews.render": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    brand?: components["schemas"]["PreviewBrand"] | null;
                    brand_id?: string | null;
                    /** @enum {string|null} */
                    channel?: "direct_message" | "email" | "push" | "sms" | "webhook" | "inbox" | "banner" | null;
                    content?: {
                        [key: string]: unknown;
                    } | null;
                    data?: {
                        [key: string]: unknown;
                    } | null;
                    locale?: string | null;
                    profile?: {
                        [key: string]: unknown;
                    } | null;
                    provider?: string | null;
                    template?: string | null;
                    tenant_id?: string | null;
                    version?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preview"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.event-mappings.list": {
        parameters: {
            query?: {
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventMappingPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.event-mappings.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventMapping"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.event-mappings.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @enum {string} */
                    type: "notification";
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventMappingPut"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.inbound.accept": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    event: string;
                    messageId: string;
                    properties: {
                        [key: string]: unknown;
                    };
                    /** @enum {string} */
                    type: "track";
                    userId?: string | null;
                };
            };
        };
        responses: {
            202: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventTracked"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.lists.list": {
        parameters: {
            query?: {
                cursor?: string;
                pattern?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListsPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.lists.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                list_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.lists.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                list_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    preferences?: components["schemas"]["RecipientPreferences"] | null;
                };
            };
        };
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.lists.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                list_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.lists.restore": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                list_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.subscriptions.list": {
        parameters: {
            query?: {
                cursor?: string;
            };
            header?: never;
            path: {
                list_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionsPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.subscriptions.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                list_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    recipients: components["schemas"]["Subscriber"][];
                };
            };
        };
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.subscriptions.add": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                list_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    recipients: components["schemas"]["Subscriber"][];
                };
            };
        };
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.subscriptions.put": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                list_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    categories?: {
                        [key: string]: unknown;
                    } | null;
                    notifications?: {
                        [key: string]: unknown;
                    } | null;
                    preferences?: components["schemas"]["RecipientPreferences"] | null;
                };
            };
        };
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.subscriptions.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                list_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.messages.list": {
        parameters: {
            query?: {
                archived?: boolean;
                cursor?: string;
                enqueued_after?: string;
                event?: string;
                limit?: number;
                list?: string;
                messageId?: string;
                notification?: string;
                provider?: string[];
                recipient?: string;
                status?: ("CANCELED" | "CLICKED" | "DELAYED" | "DELIVERED" | "DIGESTED" | "ENQUEUED" | "FILTERED" | "OPENED" | "ROUTED" | "SENT" | "SIMULATED" | "THROTTLED" | "UNDELIVERABLE" | "UNMAPPED" | "UNROUTABLE")[];
                tag?: string[];
                tags?: string[];
                tenant_id?: string;
                traceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagePage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.messages.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageDetails"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.messages.cancel": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageDetails"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelConflict"] | components["schemas"]["Error"];
                };
            };
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.messages.history": {
        parameters: {
            query?: {
                type?: "ENQUEUED" | "MAPPED" | "UNMAPPED" | "PROFILE_LOADED" | "THROTTLED" | "DELAYED" | "DIGESTED" | "FILTERED" | "ROUTED" | "UNROUTABLE" | "RENDERED" | "DELIVERING" | "SIMULATED" | "SENT" | "DELIVERED" | "UNDELIVERABLE" | "OPENED" | "CLICKED" | "CANCELED";
            };
            header?: never;
            path: {
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageHistory"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.messages.output": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageOutput"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.messages.part": {
        parameters: {
            query?: {
                images?: "remote";
            };
            header?: never;
            path: {
                message_id: string;
                part: string;
                render_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                    "text/html": string;
                    "text/plain": string;
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.messages.resend": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResentMessage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notifications.list": {
        parameters: {
            query?: {
                cursor?: string;
                event_id?: string;
                notes?: boolean;
                tags?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notifications.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    notification: components["schemas"]["TemplatePayload"];
                    /** @enum {string|null} */
                    state?: "DRAFT" | "PUBLISHED" | null;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notifications.retrieve": {
        parameters: {
            query?: {
                version?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notifications.replace": {
        parameters: {
            query?: {
                if_match?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    notification: components["schemas"]["TemplatePayload"];
                    /** @enum {string|null} */
                    state?: "DRAFT" | "PUBLISHED" | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notifications.archive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-checks.list": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                submissionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checks"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-checks.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                submissionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    checks: components["schemas"]["BaseCheck"][];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checks"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-checks.cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                submissionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-blocks.translateBlock": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                block_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentMutation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-blocks.translateChannel": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                channel_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentMutation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-content.retrieve": {
        parameters: {
            query?: {
                version?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateContent"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-content.replace": {
        parameters: {
            query?: {
                if_match?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    content: {
                        [key: string]: unknown;
                    };
                    /** @enum {string|null} */
                    state?: "DRAFT" | "PUBLISHED" | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentMutation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-blocks.translateDraftBlock": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                block_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentMutation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-blocks.translateDraftChannel": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                channel_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentMutation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-content.retrieveDraft": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateContent"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-blocks.replaceDraftLocales": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    blocks: {
                        [key: string]: unknown;
                    }[];
                    channels?: {
                        [key: string]: unknown;
                    }[] | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentMutation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-blocks.replaceDraftLocale": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                localeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    blocks: {
                        [key: string]: unknown;
                    }[];
                    channels?: {
                        [key: string]: unknown;
                    }[] | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentMutation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-blocks.replaceDraft": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    blocks: components["schemas"]["Block"][];
                    channels?: components["schemas"]["BlockChannel"][] | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentMutation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-content.replaceElement": {
        parameters: {
            query?: {
                if_match?: string;
            };
            header?: never;
            path: {
                elementId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentMutation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-blocks.replaceLocales": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    blocks: {
                        [key: string]: unknown;
                    }[];
                    channels?: {
                        [key: string]: unknown;
                    }[] | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentMutation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-content.replaceLocale": {
        parameters: {
            query?: {
                if_match?: string;
            };
            header?: never;
            path: {
                id: string;
                localeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    blocks?: {
                        [key: string]: unknown;
                    }[] | null;
                    channels?: {
                        [key: string]: unknown;
                    }[] | null;
                    elements?: {
                        [key: string]: unknown;
                    }[] | null;
                    /** @enum {string|null} */
                    state?: "DRAFT" | "PUBLISHED" | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentMutation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notifications.publish": {
        parameters: {
            query?: {
                if_match?: string;
            };
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    version?: string | null;
                };
            };
        };
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notification-blocks.replace": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    blocks: components["schemas"]["Block"][];
                    channels?: components["schemas"]["BlockChannel"][] | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentMutation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.notifications.versions": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.recipient-preferences.catalogue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferenceCatalogue"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.recipient-preferences.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                recipient_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredRecipientPreferences"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.recipient-preferences.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                recipient_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    categories?: {
                        [key: string]: unknown;
                    } | null;
                    notifications?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileWritten"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.recipient-preferences.patch": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                recipient_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    patch: components["schemas"]["PatchOperation"][];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileWritten"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.preference-logs.list": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                since?: string;
                tenant_id?: string;
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferenceLogPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.preference-sections.publish": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    brand_id?: string | null;
                    description?: string | null;
                    heading?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedPreferences"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.preference-sections.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferenceSections"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.preference-sections.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    description?: string | null;
                    has_custom_routing?: boolean | null;
                    name: string;
                    routing_options?: ("direct_message" | "email" | "push" | "sms" | "webhook" | "inbox")[] | null;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferenceSection"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.preference-sections.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                section_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferenceSection"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.preference-sections.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                section_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    description?: string | null;
                    has_custom_routing?: boolean | null;
                    name: string;
                    routing_options?: ("direct_message" | "email" | "push" | "sms" | "webhook" | "inbox")[] | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferenceSection"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.preference-sections.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                section_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.preference-topics.list": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                section_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferenceTopics"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.preference-topics.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                section_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    allowed_preferences?: ("snooze" | "channel_preferences")[] | null;
                    /** @enum {string} */
                    default_status: "OPTED_IN" | "OPTED_OUT" | "REQUIRED";
                    description?: string | null;
                    digest?: {
                        [key: string]: unknown;
                    } | null;
                    include_unsubscribe_header?: boolean | null;
                    name: string;
                    routing_options?: ("direct_message" | "email" | "push" | "sms" | "webhook" | "inbox")[] | null;
                    topic_data?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferenceTopic"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_served"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.preference-topics.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                section_id: string;
                topic_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferenceTopic"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.preference-topics.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                section_id: string;
                topic_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    allowed_preferences?: ("snooze" | "channel_preferences")[] | null;
                    /** @enum {string} */
                    default_status: "OPTED_IN" | "OPTED_OUT" | "REQUIRED";
                    description?: string | null;
                    digest?: {
                        [key: string]: unknown;
                    } | null;
                    include_unsubscribe_header?: boolean | null;
                    name: string;
                    routing_options?: ("direct_message" | "email" | "push" | "sms" | "webhook" | "inbox")[] | null;
                    topic_data?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferenceTopic"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_served"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.preference-topics.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                section_id: string;
                topic_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.profiles.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.profiles.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    profile: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileWritten"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.profiles.merge": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    profile: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileWritten"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.profiles.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.profiles.patch": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    patch: components["schemas"]["PatchOperation"][];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileWritten"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.profile-lists.list": {
        parameters: {
            query?: {
                cursor?: string;
            };
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscribedListsPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.profile-lists.subscribe": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    lists: components["schemas"]["ListToSubscribe"][];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileWritten"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "audience.profile-lists.removeAll": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileWritten"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.providers.list": {
        parameters: {
            query?: {
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.providers.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    alias?: string | null;
                    enabled?: boolean | null;
                    order?: number | null;
                    provider: string;
                    settings?: {
                        [key: string]: unknown;
                    } | null;
                    title?: string | null;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.providers.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.providers.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    alias?: string | null;
                    enabled?: boolean | null;
                    order?: number | null;
                    provider: string;
                    settings?: {
                        [key: string]: unknown;
                    } | null;
                    title?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.providers.remove": {
        parameters: {
            query?: {
                force?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.providers.change": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    alias?: string | null;
                    enabled?: boolean | null;
                    order?: number | null;
                    provider?: string | null;
                    settings?: {
                        [key: string]: unknown;
                    } | null;
                    title?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.providers.retryNow": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetriedProvider"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.providers.rotateCallback": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.providers.test": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderTest"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.providers.catalog": {
        parameters: {
            query?: {
                channel?: string;
                cursor?: string;
                keys?: string;
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.requests.archive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.routing-strategies.list": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                starting_after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoutingStrategyPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.routing-strategies.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    channels?: {
                        [key: string]: unknown;
                    } | null;
                    description?: string | null;
                    name: string;
                    providers?: {
                        [key: string]: unknown;
                    } | null;
                    routing: {
                        [key: string]: unknown;
                    };
                    tags?: string[] | null;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoutingStrategy"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.routing-strategies.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoutingStrategy"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.routing-strategies.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    channels?: {
                        [key: string]: unknown;
                    } | null;
                    description?: string | null;
                    name: string;
                    providers?: {
                        [key: string]: unknown;
                    } | null;
                    routing: {
                        [key: string]: unknown;
                    };
                    tags?: string[] | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoutingStrategy"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.routing-strategies.archive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.routing-strategies.templates": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                starting_after?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkedTemplatePage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.send.accept": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    brand?: string | null;
                    data?: {
                        [key: string]: unknown;
                    } | null;
                    event?: string | null;
                    message?: components["schemas"]["OutgoingMessage"] | null;
                    override?: {
                        [key: string]: unknown;
                    } | null;
                    preferences?: components["schemas"]["RecipientPreferences"] | null;
                    profile?: components["schemas"]["InlineAddresses"] | null;
                    recipient?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendAccepted"];
                };
            };
            202: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendAccepted"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "gateway.send.accept-for-lists": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    brand?: string | null;
                    data?: {
                        [key: string]: unknown;
                    } | null;
                    event?: string | null;
                    list?: string | null;
                    override?: {
                        [key: string]: unknown;
                    } | null;
                    pattern?: string | null;
                    preferences?: components["schemas"]["RecipientPreferences"] | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LegacyListSent"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.suppressions.list": {
        parameters: {
            query?: {
                address?: string;
                channel?: "email" | "sms" | "push";
                cursor?: string;
                limit?: number;
                reason?: "unsubscribe" | "manual" | "hard_bounce" | "complaint";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.suppressions.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                address: string;
                channel: "email" | "sms" | "push";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suppression"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.suppressions.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                address: string;
                channel: "email" | "sms" | "push";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {string|null} */
                    reason?: "unsubscribe" | "manual" | "hard_bounce" | "complaint" | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suppression"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.suppressions.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                address: string;
                channel: "email" | "sms" | "push";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.suppressions.import": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": string;
                "text/plain": string;
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedSuppressions"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.tenants.list": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                parent_tenant_id?: string;
                starting_after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.tenants.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.tenants.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    brand_id?: string | null;
                    default_preferences?: components["schemas"]["DefaultPreferences"] | null;
                    name: string;
                    parent_tenant_id?: string | null;
                    properties?: {
                        [key: string]: unknown;
                    } | null;
                    user_profile?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.tenants.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.tenants.replaceDefault": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant_id: string;
                topic_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    custom_routing?: string[] | null;
                    has_custom_routing?: boolean | null;
                    /** @enum {string} */
                    status: "OPTED_IN" | "OPTED_OUT" | "REQUIRED";
                };
            };
        };
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.tenants.removeDefault": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant_id: string;
                topic_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.tenant-templates.list": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                starting_after?: string;
            };
            header?: never;
            path: {
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantTemplatePage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.tenant-templates.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                template_id: string;
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantTemplate"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.tenant-templates.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                template_id: string;
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    published?: boolean | null;
                    template: components["schemas"]["TenantTemplateInput"];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantTemplatePut"];
                };
            };
            201: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantTemplatePut"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.tenant-templates.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                template_id: string;
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.tenant-templates.publish": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                template_id: string;
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    version?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantTemplatePublished"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.tenant-templates.retrieveVersion": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                template_id: string;
                tenant_id: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantTemplate"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.tenants.users": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                starting_after?: string;
            };
            header?: never;
            path: {
                tenant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantAssociationPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.translations.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain: string;
                locale: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "content.translations.replace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain: string;
                locale: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": string;
                "text/plain": string;
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.accounts.setUser": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    accounts?: components["schemas"]["UserAccountEntry"][] | null;
                    profile?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.accounts.setUserAccounts": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    accounts: components["schemas"]["UserAccountEntry"][];
                } | components["schemas"]["UserAccountEntry"][];
            };
        };
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-preferences.list": {
        parameters: {
            query?: {
                tenant_id?: string;
            };
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPreferences"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-preferences.replace": {
        parameters: {
            query?: {
                tenant_id?: string;
            };
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    topics: components["schemas"]["BulkTopic"][];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPreferencesReplaced"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_served"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-preferences.upsert": {
        parameters: {
            query?: {
                tenant_id?: string;
            };
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    topics: components["schemas"]["BulkTopic"][];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPreferencesUpserted"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_served"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-preferences.retrieve": {
        parameters: {
            query?: {
                tenant_id?: string;
            };
            header?: never;
            path: {
                topic_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPreference"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-preferences.put": {
        parameters: {
            query?: {
                tenant_id?: string;
            };
            header?: never;
            path: {
                topic_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    custom_routing?: string[] | null;
                    digest_schedule_id?: string | null;
                    has_custom_routing?: boolean | null;
                    /** @enum {string|null} */
                    status?: "OPTED_IN" | "OPTED_OUT" | "REQUIRED" | null;
                    topic?: components["schemas"]["TopicChoice"] | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPreferenceWritten"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_served"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-preferences.remove": {
        parameters: {
            query?: {
                tenant_id?: string;
            };
            header?: never;
            path: {
                topic_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-tenants.list": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                starting_after?: string;
            };
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantAssociationPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-tenants.addMany": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    tenants: components["schemas"]["UserTenantEntry"][];
                };
            };
        };
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-tenants.removeAll": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-tenants.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantAssociation"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-tenants.add": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    profile?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-tenants.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-tokens.list": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserTokens"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-tokens.put-many": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    tokens?: components["schemas"]["UserTokenEntry"][] | null;
                } | components["schemas"]["UserTokenEntry"][];
            };
        };
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-tokens.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserToken"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-tokens.put": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserTokenBody"];
            };
        };
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-tokens.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "identity.user-tokens.patch": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    patch: components["schemas"]["PatchOperation"][];
                };
            };
        };
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.webhooks.list": {
        parameters: {
            query?: {
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.webhooks.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    description?: string | null;
                    event_types?: "message:updated"[] | null;
                    url: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.webhooks.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.webhooks.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.webhooks.change": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    description?: string | null;
                    event_types?: "message:updated"[] | null;
                    url?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.webhook-deliveries.list": {
        parameters: {
            query?: {
                cursor?: string;
                message_id?: string;
                result?: "pending" | "delivered" | "failed";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.webhook-deliveries.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                delivery_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.webhook-deliveries.replayOne": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                delivery_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.webhooks.pause": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.webhook-deliveries.replay": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    from: string;
                    /** @enum {string|null} */
                    result?: "delivered" | "failed" | null;
                    to?: string | null;
                };
            };
        };
        responses: {
            202: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayedWebhook"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.webhooks.resume": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.webhooks.rotateSecret": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
    "messaging.webhooks.test": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-idempotency-expiration"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-tidings-warning": components["headers"]["Warning"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            422: components["responses"]["key_reused"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
            504: components["responses"]["deadline_exceeded"];
        };
    };
}
