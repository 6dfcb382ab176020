"""Markers that change clients; names with words that synchronous code has not."""
# +groupName=factory.example.com
# +k8s:informer-gen=true

from __future__ import annotations

from clientgen.runtime.models import ObjectMeta
from clientgen.runtime.models import Literal, Model, auto, constant


class Speed(Model):
    """A part of what is sent."""

    speed: int = 0


class RobotStatus(Model):
    """Whether it moves."""

    moving: bool = False


# The configuration chooses other verbs than the class does.
# +genclient
# +genclient:skipVerbs=deleteCollection
# +genclient:method=Accelerate,verb=update,subresource=status,input=Speed,result=AsyncJob
# +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
# +kubebuilder:subresource:status
# +kubebuilder:subresource:scale:specpath=.speed,statuspath=.status.speed
class Robot(Model):
    """A robot."""

    api_version: Literal["factory.example.com/v1"] = constant(
        "factory.example.com/v1", name="apiVersion"
    )
    kind: Literal["Robot"] = constant("Robot")
    metadata: ObjectMeta = auto(ObjectMeta)
    status: RobotStatus = auto(RobotStatus)


# +genclient
# +genclient:noStatus
# +genclient:skipVerbs=deleteCollection,patch
# +resourceName=jobs
# +kubebuilder:subresource:status
class AsyncJob(Model):
    """A job that nobody waits for."""

    api_version: Literal["factory.example.com/v1"] = constant(
        "factory.example.com/v1", name="apiVersion"
    )
    kind: Literal["AsyncJob"] = constant("AsyncJob")
    metadata: ObjectMeta = auto(ObjectMeta)
    status: RobotStatus = auto(RobotStatus)


# +genclient
# +genclient:readonly
# +genclient:nonNamespaced
class Report(Model):
    """Only to be read."""

    api_version: Literal["factory.example.com/v1"] = constant(
        "factory.example.com/v1", name="apiVersion"
    )
    kind: Literal["Report"] = constant("Report")
    metadata: ObjectMeta = auto(ObjectMeta)


# +genclient
# +genclient:onlyVerbs=create
# +k8s:lister-gen=false
class Review(Model):
    """Only to be asked."""

    api_version: Literal["factory.example.com/v1"] = constant(
        "factory.example.com/v1", name="apiVersion"
    )
    kind: Literal["Review"] = constant("Review")
    metadata: ObjectMeta = auto(ObjectMeta)


# +genclient
# +genclient:noVerbs
class Blueprint(Model):
    """Without calls."""

    api_version: Literal["factory.example.com/v1"] = constant(
        "factory.example.com/v1", name="apiVersion"
    )
    kind: Literal["Blueprint"] = constant("Blueprint")
    metadata: ObjectMeta = auto(ObjectMeta)
