#!/bin/sh
# A credential plugin for tests. PLUGIN_MODE says what it does; PLUGIN_COUNT is a file that gets a byte for each run.
[ -n "$PLUGIN_COUNT" ] && printf x >>"$PLUGIN_COUNT"
[ -n "$PLUGIN_INFO" ] && printf '%s' "$KUBERNETES_EXEC_INFO" >"$PLUGIN_INFO"
version=client.authentication.k8s.io/v1
case $PLUGIN_MODE in
fail) echo "first line" >&2; echo "you are not logged in" >&2; exit 3 ;;
hang) exec sleep 1000 ;;
silent) exit 0 ;;
garbage) echo "not json" ;;
old) echo "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1beta1\",\"status\":{\"token\":\"t\"}}" ;;
*) echo "{\"kind\":\"ExecCredential\",\"apiVersion\":\"$version\",\"status\":{\"token\":\"${PLUGIN_TOKEN:-plugin-token}\",\"expirationTimestamp\":\"${PLUGIN_EXPIRES:-2099-01-01T00:00:00Z}\"}}" ;;
esac
