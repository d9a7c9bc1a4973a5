#!/usr/bin/env bash
# Installs missing Debian packages that the tests need. Without permission it installs nothing, and the tests report what is missing.
set -euo pipefail

missing=()
need() { command -v "$1" >/dev/null || missing+=("$2"); }
need java openjdk-17-jre-headless
need mvn maven
need go golang-go
need python3 python3
need pip3 python3-pip
need openssl openssl
need buildah buildah
need pgbouncer pgbouncer
need promtool prometheus
need chromium chromium
[ ${#missing[@]} -gt 0 ] || exit 0

echo "Installing Debian packages: ${missing[*]}"
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
  echo "Not installed: this needs root and apt-get" >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}"
